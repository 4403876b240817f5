/** stepOf is how far a key moves through rows; undefined for other keys. */
export function stepOf(key: string): 1 | -1 | undefined {
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return 1;
    case 'k':
    case 'ArrowUp':
      return -1;
  }
}

/** walk is the row to go to from the one at a place; -1 stands for none. It
 * stops at the ends. */
export function walk(at: number, step: 1 | -1, rows: number): number {
  if (at < 0) return step > 0 ? 0 : rows - 1;
  return Math.min(Math.max(at + step, 0), rows - 1);
}
