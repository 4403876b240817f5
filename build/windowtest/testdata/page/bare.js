// A page that prevents no drop and does what keys tell it. What happens to it
// is said by requests, which the window's log shows.
const id = Math.random().toString(36).slice(2);
let offer = '';
const say = (what) => fetch('/api/bare?' + new URLSearchParams({ id, ...what }));

const acts = {
  // Ways out of the page.
  l: () => (location.href = 'file:///etc/hostname'),
  h: () => (location.href = 'https://example.org/'),
  w: () => window.open('https://example.org/', '_blank'),
  n: () => window.open('/', '_blank'),
  a: () => Object.assign(document.createElement('a'), { href: 'https://example.org/', target: '_blank' }).click(),
  d: () => Object.assign(document.createElement('a'), { href: '/bare.js', download: 'x.js' }).click(),
  j: () => (location.href = 'data:text/html,<p>hello'),
  f: () => {
    const form = Object.assign(document.createElement('form'), { action: 'https://example.org/', method: 'post' });
    document.body.append(form);
    form.submit();
  },
  i: () => document.body.append(Object.assign(document.createElement('iframe'), { src: 'file:///etc/hostname' })),
  // What the page may ask.
  p: () => window.go.main.App.PickTask().then((o) => say({ picked: o.name }), (e) => say({ refused: e.code })),
  s: async () => {
    const answer = await fetch('/api/runs', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: 'bare-' + id, draft: { offer } }),
    });
    say({ started: answer.status, run: (await answer.json()).run });
  },
  x: () => document.body.classList.toggle('dragged'),
  q: () => {},
};

addEventListener('keydown', (e) => {
  if (!acts[e.key]) return;
  say({ act: e.key });
  acts[e.key]();
});
addEventListener('pagehide', () => say({ event: 'pagehide' }));
addEventListener('load', () => {
  window.runtime.EventsOn('drop', (offers) => {
    offer = offers[0].offer ?? '';
    say({ dropped: offers.length, first: offers[0].name, problem: offers[0].problem ?? '' });
  });
  window.runtime.EventsOn('run:changed', (c) => say({ changed: c.run, seq: c.seq }));
  window.go.main.App.Ready().then(() => say({ event: 'ready' }));
});
