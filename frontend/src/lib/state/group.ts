import type { RunSummary } from '$lib/bridge';
import type { Show } from '../../router.svelte';

export interface Groups {
  /** A gate is open; the oldest question first. */
  needs: RunSummary[];
  /** Not ended: at work, waiting, paused, interrupted, not readable. */
  running: RunSummary[];
  /** Ended, newest first. */
  finished: RunSummary[];
}

/** group sorts the runs into the parts of the list. */
export function group(runs: RunSummary[]): Groups {
  const groups: Groups = { needs: [], running: [], finished: [] };
  for (const run of runs) groups[part(run)].push(run);
  groups.needs.sort((a, b) => (a.asked_at ?? 0) - (b.asked_at ?? 0));
  groups.running.sort((a, b) => b.changed_at - a.changed_at);
  groups.finished.sort((a, b) => b.changed_at - a.changed_at);
  return groups;
}

/** part says in which part of the list a run stands. */
export function part(run: RunSummary): keyof Groups {
  switch (run.standing) {
    case 'needs_you':
      return 'needs';
    case 'ended':
      return 'finished';
    case 'new':
    case 'working':
    case 'waiting':
    case 'paused':
    case 'interrupted':
    case 'broken':
      return 'running';
  }
}

/** pick keeps what a filter and words of a search leave over. */
export function pick(groups: Groups, show: Show, words: string): Groups {
  const sought = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (run: RunSummary) => {
    const text = `${run.title} ${run.reason ?? ''} ${run.workspace} ${run.id}`.toLowerCase();
    return sought.every((word) => text.includes(word));
  };
  const keep = (name: keyof Groups) => (show === 'all' || show === name ? groups[name].filter(fits) : []);
  return { needs: keep('needs'), running: keep('running'), finished: keep('finished') };
}
