/** Height of a line of the editor, in px; Editor.svelte sets it. */
export const LINE = 20;

/** visible is the range of line numbers that a scrolled box shows, from 1. */
export function visible(scrollTop: number, height: number, lines: number): { first: number; last: number } {
  const first = Math.max(1, Math.floor(scrollTop / LINE) + 1);
  return { first, last: Math.min(lines, first + Math.ceil(height / LINE)) };
}

/** lineCount counts lines as an editor does: an empty text has one. */
export function lineCount(text: string): number {
  let n = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) n++;
  return n;
}

/** span is where line n of a text begins and ends; past the end it is the end. */
export function span(text: string, n: number): { start: number; end: number } {
  let start = 0;
  for (let line = 1; line < n; line++) {
    const next = text.indexOf('\n', start);
    if (next < 0) return { start: text.length, end: text.length };
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return { start, end: end < 0 ? text.length : end };
}
