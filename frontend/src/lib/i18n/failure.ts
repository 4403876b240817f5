import type { Failed } from '$lib/bridge';
import { t, word } from './index';

/** explain says a failure to a person: our own words for its code, what was
 * said by whoever refused, and what to do. */
export function explain(failed: Failed): string {
  const own = word(t.failure, failed.code);
  const said = failed.code === 'unreachable' ? '' : sentence(failed.message);
  return [own === failed.code && said ? '' : own, said, sentence(failed.hint ?? '')]
    .filter(Boolean)
    .join(' ');
}

// What Go says is a phrase without a full stop.
function sentence(phrase: string): string {
  if (!phrase) return '';
  return phrase.charAt(0).toUpperCase() + phrase.slice(1) + (/[.!?。？！]$/.test(phrase) ? '' : '.');
}
