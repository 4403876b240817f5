import type { Verdict } from '$lib/bridge';

/** Tone is the colour class of a state; see app.css. It never stands alone. */
export type Tone = 'run' | 'ask' | 'ok' | 'bad' | 'off' | 'doubt';

export type StatusIcon = 'ok' | 'bad' | 'ask';
export type Part = 'status' | 'integrity' | 'contract';

const TONES: Record<Part, Record<string, Tone>> = {
  status: { complete: 'ok', incomplete: 'bad', blocked: 'ask' },
  integrity: { clean: 'ok', suspect: 'doubt', violation: 'bad' },
  contract: { aligned: 'ok', needs_revision: 'ask', invalid: 'bad', unknown: 'off' },
};

/** toneOf is the tone of one word of a verdict; a word of a newer version is
 * grey. */
export function toneOf(part: Part, value: string): Tone {
  return TONES[part][value] ?? 'off';
}

/** parts is a verdict as its three words, the headline first. */
export function parts(verdict: Verdict): { part: Part; value: string; tone: Tone }[] {
  return (['status', 'integrity', 'contract'] as const).map((part) => ({
    part,
    value: verdict[part],
    tone: toneOf(part, verdict[part]),
  }));
}
