import { t } from '$lib/i18n';

/** cost writes millionths of a dollar; what is not known is a dash, never 0. */
export function cost(microUSD: number | undefined, lang: string): string {
  if (microUSD === undefined) return t.common.unknown;
  const dollars = microUSD / 1e6;
  const digits = dollars > 0 && dollars < 0.01 ? 4 : 2;
  return new Intl.NumberFormat(lang, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(dollars);
}

/** count writes a whole number with the separators of the language. */
export function count(n: number, lang: string): string {
  return new Intl.NumberFormat(lang).format(n);
}
