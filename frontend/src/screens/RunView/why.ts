import type { RunView, Why } from '$lib/bridge';
import { clock, duration } from '$lib/format/time';
import { t, word } from '$lib/i18n';

/** why says in one line why a run does or waits for what it does. A code of a
 * newer version is shown as it is. */
export function why(of: Why, now: number, lang: string): string {
  const facts = of.facts ?? {};
  const at = (name: string) => clock(Number(facts[name] ?? 0), now, lang);
  switch (of.code) {
    case 'phase_runs':
      return join(
        t.live.why.phase(word(t.phase, facts.phase ?? ''), facts.round ?? '', facts.agent ?? ''),
        Number(facts.attempt ?? 1) > 1 ? t.live.why.attempt(facts.attempt ?? '') : '',
        facts.pausing ? t.live.why.pausing : '',
      );
    case 'between_phases':
      return t.live.why.between;
    case 'gate_open':
      return word(t.live.why.gate, facts.trigger ?? '');
    case 'probe':
      return join(
        t.live.why.probe(facts.until ?? ''),
        Number(facts.looked ?? 0) > 0 ? t.live.why.looked(facts.looked ?? '') : '',
        Number(facts.next_at ?? 0) > now ? t.live.why.nextLook(at('next_at')) : '',
      );
    case 'throttled':
      return t.live.why.throttled(at('until'));
    case 'paused':
      return t.live.why.paused;
    case 'stopping':
      return facts.abort ? t.live.why.aborting : t.live.why.stopping;
    case 'ended':
      return join(word(t.live.result.outcome, facts.outcome ?? ''), facts.reason ?? '');
    case 'worker_starting':
      return t.live.why.starting;
    case 'worker_gone':
      return t.live.why.gone(t.time.ago(duration(now - Number(facts.since ?? now))));
    case 'workspace_missing':
      return t.live.why.workspace(facts.workspace ?? '');
    case 'broken':
      return t.live.why.broken;
    case 'newer_version':
      return t.live.why.newer(facts.kind ?? '');
    default:
      return of.code;
  }
}

function join(...parts: string[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** since is when nobody was at work any more, unix ms; null while somebody is,
 * or nothing runs that could stand still. */
export function since(view: RunView): number | null {
  return view.worker.alive || view.run.standing === 'working'
    ? null
    : Math.max(view.worker.beat_at ?? 0, view.run.changed_at);
}
