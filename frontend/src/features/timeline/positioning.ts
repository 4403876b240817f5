// Where things stand in the list of rounds: which rows there are, how high they
// are, and which of them are in view. All of it is pure.
import type { RoundRow } from '$lib/bridge';
import { work } from './stages';

/** A gap of this length or more between two rounds is shown, in ms. */
export const IDLE_MS = 5 * 60_000;

export type Item =
  { kind: 'round'; key: string; row: RoundRow } | { kind: 'idle'; key: string; ms: number; after: string };

/** items are the rows of the list: each round, and the long gaps between them.
 * After says how the round before a gap ended. */
export function items(rows: RoundRow[]): Item[] {
  const all: Item[] = [];
  rows.forEach((row, i) => {
    const before = rows[i - 1];
    const gap = before?.closed ? row.began - before.closed : 0;
    if (before && gap >= IDLE_MS)
      all.push({ kind: 'idle', key: `i${row.n}`, ms: gap, after: before.end ?? '' });
    all.push({ kind: 'round', key: `r${row.n}`, row });
  });
  return all;
}

/** idleWithin is the time in a round in which no phase ran, if that is long; a
 * round that only waited is no such case. */
export function idleWithin(row: RoundRow): number {
  if (row.route === 'wait' || row.stages.length === 0) return 0;
  const end = row.closed ?? Math.max(...row.stages.map((stage) => stage.ended ?? stage.began));
  const idle = end - row.began - work(row, end);
  return idle >= IDLE_MS ? idle : 0;
}

/** guess is the height of a row that was not measured yet, in px. */
export function guess(item: Item): number {
  if (item.kind === 'idle') return 28;
  const { row } = item;
  if (row.end === 'waited') return 32;
  let height = 94;
  if (row.said || row.lowered?.length) height += 22;
  if (row.violations) height += 22;
  if (row.effect === 'worse') height += 22;
  if (row.end === 'refused' || row.end === 'failed') height += 22;
  return height;
}

/** offsets says where each row begins; the last one where the list ends. */
export function offsets(list: readonly Item[], measured: ReadonlyMap<string, number>): Float64Array {
  const at = new Float64Array(list.length + 1);
  list.forEach((item, i) => {
    at[i + 1] = (at[i] as number) + (measured.get(item.key) ?? guess(item));
  });
  return at;
}

/** rowAt is the row at a height: the last one that begins at or above it. */
export function rowAt(at: Float64Array, y: number): number {
  let low = 0;
  let high = at.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((at[middle] as number) <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** span is the range of rows to draw, from inclusive to exclusive, with some
 * more at both ends so that a scroll finds them there. */
export function span(
  at: Float64Array,
  view: { top: number; height: number },
  more = 4,
): { from: number; to: number } {
  const n = at.length - 1;
  if (n === 0) return { from: 0, to: 0 };
  return {
    from: Math.max(0, rowAt(at, view.top) - more),
    to: Math.min(n, rowAt(at, view.top + view.height) + 1 + more),
  };
}

/** reveal is where to scroll so that a row is in view; as it is if it already is. */
export function reveal(at: Float64Array, i: number, view: { top: number; height: number }): number {
  const begin = at[i] ?? 0;
  const end = at[i + 1] ?? begin;
  if (begin < view.top) return begin;
  if (end > view.top + view.height) return Math.max(0, end - view.height);
  return view.top;
}

/** shifted is how far the rows above a height move when some are measured anew:
 * the scroll position follows, so that what is read stays where it is. */
export function shifted(
  list: readonly Item[],
  at: Float64Array,
  news: ReadonlyMap<string, number>,
  top: number,
): number {
  let by = 0;
  list.forEach((item, i) => {
    const height = news.get(item.key);
    const begin = at[i] as number;
    const was = (at[i + 1] as number) - begin;
    if (height !== undefined && begin + was <= top) by += height - was;
  });
  return by;
}
