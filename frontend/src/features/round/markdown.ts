// The little of Markdown that an agent's text is shown with. It is data for the
// template, never markup: what is not understood is text.

export interface Span {
  kind: 'text' | 'code' | 'strong';
  text: string;
}
export type Block =
  | { kind: 'heading'; level: number; spans: Span[] }
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Span[][] }
  | { kind: 'code'; text: string };

/** blocks reads headings, lists, fenced code and paragraphs. */
export function blocks(text: string): Block[] {
  const out: Block[] = [];
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const fence = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    if (fence) {
      const end = lines.findIndex((l, j) => j > i && l.trim().startsWith(fence));
      const last = end < 0 ? lines.length : end;
      out.push({ kind: 'code', text: lines.slice(i + 1, last).join('\n') });
      i = last;
      continue;
    }
    take(out, line, lines[i - 1] ?? '');
  }
  return out;
}

function take(out: Block[], line: string, before: string): void {
  const heading = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line);
  if (heading)
    return void out.push({
      kind: 'heading',
      level: (heading[1] as string).length,
      spans: spans(heading[2] as string),
    });
  const item = /^\s*(?:[-*+]|(\d{1,6})[.)])\s+(.*)$/.exec(line);
  const last = out[out.length - 1];
  if (item) {
    const ordered = item[1] !== undefined;
    if (last?.kind === 'list' && last.ordered === ordered) last.items.push(spans(item[2] as string));
    else out.push({ kind: 'list', ordered, start: Number(item[1] ?? 1), items: [spans(item[2] as string)] });
    return;
  }
  if (line.trim() === '') return;
  const more = spans(line.trim());
  if (before.trim() !== '' && last?.kind === 'paragraph')
    last.spans.push({ kind: 'text', text: '\n' }, ...more);
  else if (before.trim() !== '' && last?.kind === 'list' && /^\s/.test(line))
    last.items[last.items.length - 1]?.push({ kind: 'text', text: ' ' }, ...more);
  else out.push({ kind: 'paragraph', spans: more });
}

/** spans reads `code` and **strong** within a line. */
export function spans(text: string): Span[] {
  const out: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*\s](?:[^*]*[^*\s])?)\*\*/g)) {
    if (match.index > at) out.push({ kind: 'text', text: text.slice(at, match.index) });
    out.push(
      match[1] !== undefined
        ? { kind: 'code', text: match[1] }
        : { kind: 'strong', text: match[2] as string },
    );
    at = match.index + match[0].length;
  }
  if (at < text.length || out.length === 0) out.push({ kind: 'text', text: text.slice(at) });
  return out;
}
