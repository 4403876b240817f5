import type { RoundRow } from '$lib/bridge';
import { inDialog, typing } from '../../shell/keys';

const STEPS: Record<string, number> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** step is the round that a key leads to: the next, the previous, the first or
 * the last; null for every other key. Arrows in menus, tabs and fields are
 * theirs. */
export function step(
  event: KeyboardEvent,
  letter: string,
  rows: readonly RoundRow[],
  from: number,
): number | null {
  if (rows.length === 0 || event.defaultPrevented) return null;
  const named = event.key.length > 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  const key = letter || (named && free(event.target) ? event.key : '');
  const at = rows.findIndex((row) => row.n === from);
  if (key === 'Home' || key === 'End') {
    const onRow = event.target instanceof HTMLElement && event.target.dataset.round !== undefined;
    return onRow ? (rows.at(key === 'Home' ? 0 : -1)?.n ?? null) : null;
  }
  const by = STEPS[key];
  if (by === undefined) return null;
  const to = at < 0 ? rows.length - 1 : Math.min(Math.max(at + by, 0), rows.length - 1);
  return rows[to]?.n ?? null;
}

function free(target: EventTarget | null): boolean {
  if (typing(target) || inDialog()) return false;
  return !(target instanceof Element && target.closest('[role="menu"], [role="tablist"], [role="tabpanel"]'));
}
