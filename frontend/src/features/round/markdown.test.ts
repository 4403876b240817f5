import { expect, test } from 'vitest';
import { blocks, spans } from './markdown';

const text = (said: string) => [{ kind: 'text', text: said }];

test('headings, lists, code and paragraphs are told apart', () => {
  expect(
    blocks('# Result\nOne\ntwo\n\n- a\n- b\n  more\n1. x\n2) y\n```sh\n# no heading\n\n- no list\n```\nend'),
  ).toEqual([
    { kind: 'heading', level: 1, spans: text('Result') },
    { kind: 'paragraph', spans: [...text('One'), ...text('\n'), ...text('two')] },
    {
      kind: 'list',
      ordered: false,
      start: 1,
      items: [text('a'), [...text('b'), ...text(' '), ...text('more')]],
    },
    { kind: 'list', ordered: true, start: 1, items: [text('x'), text('y')] },
    { kind: 'code', text: '# no heading\n\n- no list' },
    { kind: 'paragraph', spans: text('end') },
  ]);
});

test('code and strong words are spans, and what is not closed is text', () => {
  expect(spans('run `pdfinfo x` and **look** at *it* `now')).toEqual([
    { kind: 'text', text: 'run ' },
    { kind: 'code', text: 'pdfinfo x' },
    { kind: 'text', text: ' and ' },
    { kind: 'strong', text: 'look' },
    { kind: 'text', text: ' at *it* `now' },
  ]);
});

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](javascript:alert(1))',
  '![](https://example.org/pixel.png)',
])('%s is text', (said) => {
  expect(blocks(said)).toEqual([{ kind: 'paragraph', spans: text(said) }]);
});

test('a fence that is never closed is code to the end, and no text is lost', () => {
  expect(blocks('```\na\nb')).toEqual([{ kind: 'code', text: 'a\nb' }]);
  expect(blocks('')).toEqual([]);
});

test('a hostile text takes no time', () => {
  const began = performance.now();
  blocks('**'.repeat(20_000) + '`'.repeat(20_001) + '\n' + '- '.repeat(20_000) + '#'.repeat(20_000));
  expect(performance.now() - began).toBeLessThan(1000);
});
