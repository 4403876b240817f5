import type { Budget } from '$lib/bridge';
import { cost, count } from '$lib/format/cost';
import { duration, moment } from '$lib/format/time';
import { t, word } from '$lib/i18n';

/** Meter is a budget as its bar shows it. */
export interface Meter {
  name: string;
  /** What is used; a dash where nobody knows. */
  used: string;
  /** The limit; empty where there is none. */
  limit: string;
  /** Whole percent used, 0 to 100; null where it cannot be said. */
  percent: number | null;
  noted: boolean;
}

/** meters are the budgets in the words and numbers of the language. */
export function meters(budgets: Budget[], lang: string): Meter[] {
  return budgets.map((budget) => {
    const limit = budget.limit ?? 0;
    const used = budget.used;
    return {
      name: word(t.live.budgets.name, budget.name),
      used:
        budget.name === 'deadline'
          ? ''
          : used === undefined
            ? t.common.unknown
            : write(budget.name, used, lang),
      limit: limit > 0 ? write(budget.name, limit, lang) : '',
      percent:
        limit > 0 && used !== undefined && budget.name !== 'deadline'
          ? Math.min(100, Math.max(0, Math.floor((used / limit) * 100)))
          : null,
      noted: budget.noted ?? false,
    };
  });
}

function write(name: string, n: number, lang: string): string {
  switch (name) {
    case 'active_ms':
      return n > 0 && n % 3_600_000 === 0 ? t.time.h(n / 3_600_000) : duration(n);
    case 'micro_usd':
      return cost(n, lang);
    case 'deadline':
      return moment(n, lang);
    case 'tokens':
      return n < 10_000
        ? count(n, lang)
        : new Intl.NumberFormat(lang, { notation: 'compact', maximumSignificantDigits: 3 }).format(n);
    default:
      return count(n, lang);
  }
}
