import { afterEach, expect, test, vi } from 'vitest';
import { inWindow, wails } from './wails';

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
      App: { PickTask: () => Promise.resolve({ name: '' }), PickFolder: () => Promise.resolve('/home/ada') },
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
  wails().onDrop((files) => took.push(files));
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
