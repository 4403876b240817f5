import type { RunView } from '$lib/bridge';
import { parts } from '$lib/format/verdict';
import { t, word } from '$lib/i18n';
import { headline } from '$features/timeline/round';

/** news is what a listener is told of a change of a run: that a round began or
 * ended, a question was answered, the run has ended. Nothing else is said. */
export function news(before: RunView | null, now: RunView): string {
  if (!before || before.run.id !== now.run.id) return '';
  const said: string[] = [];
  const known = new Map(before.round_rows.map((row) => [row.n, row]));
  for (const row of now.round_rows.slice(-3)) {
    const was = known.get(row.n);
    if (row === was) continue;
    if (row.end && !was?.end) {
      const words = row.verdict
        ? parts(row.verdict)
            .map((p) => word(t.verdict[p.part], p.value))
            .join(t.live.round.comma)
        : headline(row, false).word;
      said.push(t.live.announce.ended(row.n, words));
    } else if (!was) said.push(t.live.announce.began(row.n));
  }
  if (before.gate && before.gate.id !== now.gate?.id) said.push(t.live.announce.answered);
  if (now.run.standing === 'ended' && before.run.standing !== 'ended')
    said.push(t.live.announce.finished(word(t.live.result.outcome, now.run.outcome ?? '')));
  return said.join(' ');
}
