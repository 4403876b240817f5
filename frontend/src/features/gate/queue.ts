import type { RunSummary } from '$lib/bridge';

/** asked names one question of one run: a later one of the same run is another. */
export function asked(run: Pick<RunSummary, 'id' | 'asked_at'>): string {
  return `${run.id} ${run.asked_at ?? 0}`;
}

/** next is the oldest question that was neither put off nor just answered. */
export function next(
  needs: readonly RunSummary[],
  off: ReadonlySet<string>,
  not: string | null,
): string | null {
  return needs.find((run) => run.id !== not && !off.has(asked(run)))?.id ?? null;
}

/** fresh are the questions that were not there before. */
export function fresh(known: ReadonlySet<string>, needs: readonly RunSummary[]): RunSummary[] {
  return needs.filter((run) => !known.has(asked(run)));
}

/** How long a person's hands must rest before a dialog may come up, in ms. */
export const PAUSE_MS = 1500;

/** rest is how long to wait until the hands have rested; 0: they have. */
export function rest(lastKey: number, now: number): number {
  return Math.max(0, Math.min(PAUSE_MS, lastKey + PAUSE_MS - now));
}
