import type { Record, RoundRow, RunView } from '$lib/bridge';

/** merge lays what changed over what is known. It answers null when the two do
 * not fit, so that the whole has to be read again. */
export function merge(known: RunView | null, news: RunView): RunView | null {
  if (!news.after) return news;
  if (known === null || news.after !== known.seq || news.seq < known.seq) return null;
  const round_rows = mergeRows(known.round_rows, news.round_rows);
  if (round_rows.length !== news.round_count) return null;
  return {
    ...news,
    after: undefined,
    round_rows,
    records: mergeRecords(known.records, news.records),
    messages: news.messages ?? known.messages,
    reply: news.reply ?? known.reply,
    reply_cut: news.reply === undefined ? known.reply_cut : news.reply_cut,
  };
}

/** mergeRecords replaces records by their ids and adds new ones; none is ever
 * taken away. */
export function mergeRecords(known: Record[] | undefined, news: Record[] | undefined): Record[] | undefined {
  if (!known || !news) return news ?? known;
  const records = new Map(known.map((record) => [record.id, record]));
  for (const record of news) records.set(record.id, record);
  return [...records.values()];
}

/** mergeRows replaces rows by their number and adds new ones; an untouched row
 * stays the same object, so that nothing is drawn again for it. */
export function mergeRows(known: RoundRow[], news: RoundRow[]): RoundRow[] {
  if (news.length === 0) return known;
  const rows = new Map(known.map((row) => [row.n, row]));
  for (const row of news) rows.set(row.n, row);
  return [...rows.values()].sort((a, b) => a.n - b.n);
}
