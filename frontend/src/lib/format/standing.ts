import type { RunSummary } from '$lib/bridge';
import { t, word } from '$lib/i18n';
import type { Tone } from './verdict';

/** Look is how the state of a run is shown: a word, an icon's name, a tone. */
export interface Look {
  word: string;
  icon: string;
  tone: Tone;
}

const PHASES: Record<string, string> = {
  plan: 'plan',
  execute: 'cli',
  check: 'checks',
  audit: 'audit',
  final_check: 'checks',
  final_audit: 'audit',
  report: 'file',
  probe: 'wait',
};

/** look says what a run does now, as its row shows it. */
export function look(run: RunSummary): Look {
  switch (run.standing) {
    case 'needs_you':
      return {
        word: word(t.asks, run.gate ?? '') || t.standing.needs_you,
        icon: run.gate === 'completed' ? 'flag' : 'ask',
        tone: 'ask',
      };
    case 'working':
      return working(run);
    case 'ended':
      return ended(run);
    case 'interrupted':
      return { word: t.standing.interrupted, icon: 'unplug', tone: 'bad' };
    case 'broken':
      return { word: t.standing.broken, icon: 'broken', tone: 'bad' };
    case 'paused':
      return { word: t.standing.paused, icon: 'pause', tone: 'off' };
    case 'waiting':
      return { word: t.standing.waiting, icon: 'wait', tone: 'off' };
    case 'new':
      return { word: t.standing.new, icon: 'plus', tone: 'off' };
  }
}

function working(run: RunSummary): Look {
  if (!run.phase) return { word: t.standing.working, icon: 'run', tone: 'run' };
  const icon = run.phase === 'execute' && run.surface === 'gui' ? 'gui' : (PHASES[run.phase] ?? 'run');
  return { word: word(t.phase, run.phase), icon, tone: 'run' };
}

function ended(run: RunSummary): Look {
  const said = word(t.outcome, run.outcome ?? '') || t.standing.ended;
  switch (run.outcome) {
    case 'completed':
      return { word: said, icon: 'ok', tone: 'ok' };
    case 'incomplete':
      return { word: said, icon: 'bad', tone: 'bad' };
    case 'aborted':
      return { word: said, icon: 'abort', tone: 'off' };
    default:
      return { word: said, icon: 'stop', tone: 'off' };
  }
}
