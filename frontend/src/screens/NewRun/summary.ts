import type { Inspection } from '$lib/bridge';
import { cost, count } from '$lib/format/cost';
import { duration, moment } from '$lib/format/time';
import { t } from '$lib/i18n';

/** summary says in plain words what Start would begin. */
export function summary(found: Inspection, lang: string): string {
  const said = [who(found), limits(found, lang)];
  if (found.workspace.path) said.push(where(found));
  said.push(t.newRun.summary.goesOn);
  return said.filter(Boolean).join(t.newRun.summary.gap);
}

function who(found: Inspection): string {
  const agent = (role: string) => found.roles.find((r) => r.role === role)?.agent ?? '';
  const [manager, executor, auditor] = [agent('manager'), agent('executor'), agent('auditor')];
  if (!manager || !executor || !auditor) return '';
  if (manager === executor && executor === auditor) return t.newRun.summary.one(manager);
  return t.newRun.summary.many(manager, executor, auditor);
}

function limits(found: Inspection, lang: string): string {
  const words = found.limits.filter((l) => l.limit).map((l) => limit(l.name, l.limit ?? 0, lang));
  if (words.length === 0) return t.newRun.summary.endless;
  const last = words.pop() as string;
  return t.newRun.summary.stops(words.length > 0 ? words.join(', ') + t.newRun.summary.or + last : last);
}

// At the lowest level of the guard nothing keeps an agent in its folder, and
// the sentence must not say so.
function where(found: Inspection): string {
  const words = t.newRun.summary;
  return found.guard === 'detect' ? words.unconfined(found.workspace.path) : words.only(found.workspace.path);
}

/** limit says one limit with its unit. */
export function limit(name: string, value: number, lang: string): string {
  switch (name) {
    case 'rounds':
      return t.newRun.summary.rounds(count(value, lang));
    case 'active_ms':
      return t.newRun.summary.time(duration(value));
    case 'micro_usd':
      return cost(value, lang);
    case 'tokens':
      return t.newRun.summary.tokens(count(value, lang));
    case 'deadline':
      return t.newRun.summary.deadline(moment(value, lang));
    default:
      return `${name} ${count(value, lang)}`;
  }
}
