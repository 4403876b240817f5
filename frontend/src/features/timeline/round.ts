import type { RoundRow } from '$lib/bridge';
import { parts, type Tone } from '$lib/format/verdict';
import { t, word } from '$lib/i18n';
import { duration } from '$lib/format/time';
import { work } from './stages';

/** Headline is what a round came to where it has no verdict. */
export interface Headline {
  word: string;
  icon: string;
  tone: Tone;
}

/** headline says what a round without a verdict does or came to. Gone says that
 * nobody is at work on it. */
export function headline(row: RoundRow, gone: boolean): Headline {
  const running = row.stages.find((stage) => stage.state === 'running');
  if (row.end) return ended(row);
  if (running && gone) return { word: t.standing.interrupted, icon: 'unplug', tone: 'bad' };
  if (running) return { word: word(t.phase, running.phase), icon: 'run', tone: 'run' };
  if (row.route === 'ask' || row.route === 'blocked')
    return { word: t.live.round.asked, icon: 'ask', tone: 'ask' };
  if (row.route === 'wait') return { word: t.standing.waiting, icon: 'wait', tone: 'off' };
  if (row.stages.length === 0) return { word: t.live.round.begins, icon: 'wait', tone: 'off' };
  return { word: t.live.round.between, icon: 'wait', tone: 'off' };
}

function ended(row: RoundRow): Headline {
  switch (row.end) {
    case 'refused':
      return {
        word: row.route === 'done' ? t.live.round.doneRefused : t.live.round.planRefused,
        icon: 'bad',
        tone: 'bad',
      };
    case 'failed':
      return { word: t.live.round.failed, icon: 'bad', tone: 'bad' };
    case 'asked':
      return { word: t.live.round.asked, icon: 'ask', tone: 'ask' };
    case 'waited':
      return { word: t.live.round.waited, icon: 'wait', tone: 'off' };
    case 'supported':
    case 'done':
      return { word: t.live.round.done, icon: 'ok', tone: 'ok' };
    default:
      return { word: t.live.round.ended, icon: 'stop', tone: 'off' };
  }
}

/** step is what a round is about, in one line. */
export function step(row: RoundRow): string {
  if (row.step) return row.step;
  if (row.route === 'done') return t.live.round.saysDone;
  return row.end ? t.live.detail.noPlanEver : t.live.detail.noPlan;
}

/** lowered says from which word and why a verdict was lowered; null if it was
 * not. */
export function lowered(row: RoundRow): { from: string; reasons: string[] } | null {
  if (!row.said || !row.verdict) return null;
  const was = parts(row.said);
  const is = parts(row.verdict);
  const part = was.find((p, i) => p.value !== is[i]?.value) ?? was[0];
  if (!part) return null;
  return { from: word(t.verdict[part.part], part.value), reasons: row.lowered ?? [] };
}

/** name is a round as a listener hears it: "Round 7, executing, 6 minutes". */
export function name(row: RoundRow, gone: boolean, until: number): string {
  const state =
    row.verdict && row.end
      ? parts(row.verdict)
          .map((p) => word(t.verdict[p.part], p.value))
          .join(', ')
      : headline(row, gone).word;
  const down = lowered(row);
  return [
    t.live.round.n(row.n),
    lower(state),
    spoken(row.route === 'wait' ? span(row, until) : work(row, until)),
    down ? t.live.round.loweredFrom(lower(down.from)) : '',
    row.violations ? t.live.round.violations(row.violations) : '',
  ]
    .filter(Boolean)
    .join(t.live.round.comma);
}

/** span is how long a round lasted, waiting included, in ms. */
export function span(row: RoundRow, until: number): number {
  return Math.max(0, (row.closed ?? until) - row.began);
}

/** spoken is a duration in whole words, its largest unit only. */
export function spoken(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return t.live.spoken.seconds(s);
  if (s < 3600) return t.live.spoken.minutes(Math.floor(s / 60));
  const h = Math.floor(s / 3600);
  const m = Math.floor(s / 60) % 60;
  return m === 0 ? t.live.spoken.hours(h) : `${t.live.spoken.hours(h)} ${t.live.spoken.minutes(m)}`;
}

/** brief is the time of a round in its row. */
export function brief(row: RoundRow, until: number): string {
  return duration(row.route === 'wait' ? span(row, until) : work(row, until));
}

function lower(text: string): string {
  return text.toLowerCase();
}
