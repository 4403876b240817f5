const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** bytes writes a size in units of 1024: "1.4 KB", "256 KB". */
export function bytes(n: number, lang: string): string {
  let unit = 0;
  let size = n;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  const digits = unit === 0 || size >= 100 || Number.isInteger(size) ? 0 : 1;
  return `${new Intl.NumberFormat(lang, { maximumFractionDigits: digits }).format(size)} ${UNITS[unit]}`;
}
