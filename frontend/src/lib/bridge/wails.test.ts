import { afterEach, expect, test, vi } from 'vitest';
import { inWindow, wails } from './wails';

const ready = vi.fn(() => Promise.resolve());
const shown = vi.fn((_dark: boolean) => Promise.resolve());

function window_() {
  const hears = new Map<string, (...data: unknown[]) => void>();
  window.runtime = {
    EventsOn: (name, take) => {
      expect(hears.has(name), `${name} is subscribed once`).toBe(false);
      hears.set(name, take);
      return () => expect.unreachable('the runtime’s own cancelling is not used');
    },
    ClipboardSetText: () => Promise.resolve(true),
  };
  window.go = {
    main: {
      App: {
        PickTask: () => Promise.resolve({ name: '' }),
        PickFolder: () => Promise.resolve('/home/ada'),
        Ready: ready,
        Shown: shown,
      },
    },
  };
  return hears;
}

afterEach(() => {
  delete window.runtime;
  delete window.go;
});

test('the window is known by what is bound to it', () => {
  expect(inWindow()).toBe(false);
  window_();
  expect(inWindow()).toBe(true);
});

test('changes are heard by whoever asked last, by one subscription', () => {
  const hears = window_();
  const face = wails();
  const first = vi.fn();
  const second = vi.fn();
  face.changes({ changed: first, open() {}, broken() {} })();
  face.changes({ changed: second, open() {}, broken() {} });
  hears.get('run:changed')?.({ run: 'r1', seq: 3 });
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledWith({ run: 'r1', seq: 3 });
});

test('a drop brings offers, and none is no fault', () => {
  const hears = window_();
  const took: unknown[] = [];
  ready.mockClear();
  const face = wails();
  expect(ready).not.toHaveBeenCalled();
  face.onDrop((files) => took.push(files));
  expect(ready).toHaveBeenCalledOnce();
  hears.get('drop')?.([{ offer: 'offer-1', name: 'a.md' }]);
  hears.get('drop')?.(null);
  expect(took).toEqual([[{ offer: 'offer-1', name: 'a.md' }], []]);
});

test('a dialog that is closed gives nothing', async () => {
  window_();
  const face = wails();
  expect(await face.pickTask()).toBeNull();
  expect(await face.pickFolder()).toBe('/home/ada');
});

test('the window is told which theme is shown, now and whenever it changes', async () => {
  window_();
  shown.mockClear();
  document.documentElement.dataset.theme = 'dark';
  wails();
  expect(shown.mock.lastCall).toEqual([true]);
  document.documentElement.dataset.theme = 'light';
  await vi.waitFor(() => expect(shown.mock.lastCall).toEqual([false]));
  delete document.documentElement.dataset.theme;
});
