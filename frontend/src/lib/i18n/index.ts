import { prefs } from '$lib/state/prefs.svelte';
import { en } from './en';
import { zh } from './zh';

const tables = { en, zh };

/** t holds every text of the page in the language in use: `t.runs.title`. Read
 * in a template it follows the language. */
export const t: typeof en = new Proxy(en, {
  get: (_, name) => tables[prefs.language][name as keyof typeof en],
});

/** word finds the text for a code that comes from outside; a code without one
 * is shown as it is. */
export function word(table: Record<string, string>, code: string): string {
  return Object.hasOwn(table, code) ? (table[code] as string) : code;
}
