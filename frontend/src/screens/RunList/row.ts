import type { RunSummary } from '$lib/bridge';
import { t, word } from '$lib/i18n';

/** progress is the round of a run and a few words on it: "7/25 · desktop". */
export function progress(run: RunSummary): string {
  const round =
    run.round === 0 ? t.runs.noRound : run.rounds > 0 ? `${run.round}/${run.rounds}` : `${run.round}`;
  const note = noteOf(run);
  return note ? `${round} · ${note}` : round;
}

function noteOf(run: RunSummary): string {
  switch (run.standing) {
    case 'working':
      return run.surface ? word(t.surface, run.surface) : '';
    case 'interrupted':
      return t.runs.workerLost;
    case 'waiting':
      return run.reason ?? '';
    case 'ended':
      return endNote(run);
    default:
      return '';
  }
}

// How it ended is the state's own word; here only what that leaves open.
function endNote(run: RunSummary): string {
  switch (run.outcome) {
    case 'completed':
      return '';
    case 'stopped':
    case 'aborted':
      return t.runs.byYou;
    default:
      return run.reason ?? '';
  }
}

/** Action is the one thing a row offers to do. */
export type Action = 'answer' | 'review' | 'resume' | 'begin';

/** detail is the second line of a row that wants something of the person. */
export function detail(run: RunSummary): { text: string; action?: Action } | null {
  switch (run.standing) {
    case 'needs_you':
      if (run.gate === 'completed') return { text: t.runs.completedWhy, action: 'review' };
      return { text: run.reason ?? '', action: 'answer' };
    case 'interrupted':
      return { text: t.runs.interruptedWhy, action: 'resume' };
    case 'new':
      return { text: t.runs.newWhy, action: 'begin' };
    case 'broken':
      return { text: t.runs.brokenWhy(run.problem ?? '') };
    default:
      return null;
  }
}

/** removable says whether a run may be deleted: nobody is at work on it. */
export function removable(run: RunSummary): boolean {
  switch (run.standing) {
    case 'ended':
    case 'broken':
    case 'interrupted':
    case 'new':
    case 'paused':
      return true;
    case 'working':
    case 'waiting':
    case 'needs_you':
      return false;
  }
}
