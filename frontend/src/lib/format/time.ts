import { t } from '$lib/i18n';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

/** duration says a span of ms in its two largest units, hours at the most:
 * "2 h 48 m", "41 s". */
export function duration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < M) return t.time.s(Math.floor(span / S));
  if (span < H) return `${t.time.m(Math.floor(span / M))} ${t.time.s(Math.floor((span % M) / S))}`;
  return `${t.time.h(Math.floor(span / H))} ${t.time.m(Math.floor((span % H) / M))}`;
}

/** age says in one unit how long ago a time (unix ms) was: "52 m", "3 d". A
 * time to come is now: clocks differ. */
export function age(at: number, now: number): string {
  const span = now - at;
  if (span < S) return t.time.now;
  if (span < M) return t.time.s(Math.floor(span / S));
  if (span < H) return t.time.m(Math.floor(span / M));
  if (span < D) return t.time.h(Math.floor(span / H));
  return t.time.d(Math.floor(span / D));
}

/** ago is age as a phrase: "52 m ago", "now". */
export function ago(at: number, now: number): string {
  const said = age(at, now);
  return said === t.time.now ? said : t.time.ago(said);
}

/** clock is the time of day, and the day where it is not today's. */
export function clock(at: number, now: number, lang: string): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  const time: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  };
  return new Intl.DateTimeFormat(lang, sameDay ? time : { ...time, month: 'short', day: 'numeric' }).format(
    at,
  );
}

/** moment is a time with its day, to the minute, for deadlines. */
export function moment(at: number, lang: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}
