import type { Dropped, Face } from './face';
import { isFailure } from './errors';
import type { Changed, Offer } from './types.gen';

/** The part of Wails' runtime and of our bound methods that the page uses. */
interface Runtime {
  EventsOn(name: string, take: (...data: unknown[]) => void): () => void;
  ClipboardSetText(text: string): Promise<boolean>;
}
interface App {
  PickTask(): Promise<Offer>;
  PickFolder(): Promise<string>;
  /** The page listens for drops: what came before is told now. */
  Ready(): Promise<void>;
  /** Which theme is shown, for the first moment of the next window. */
  Shown(dark: boolean): Promise<void>;
}
declare global {
  interface Window {
    runtime?: Runtime;
    go?: { main?: { App?: App } };
  }
}

/** inWindow says whether the page stands in the Wails window. */
export function inWindow(): boolean {
  return window.runtime !== undefined && window.go?.main?.App !== undefined;
}

/** wails is the face of the window. Its events are subscribed once per page and
 * never given back: the runtime's own cancelling is not to be relied on. */
export function wails(): Face {
  const runtime = window.runtime as Runtime;
  const app = window.go?.main?.App as App;
  let change: (c: Changed) => void = () => {};
  runtime.EventsOn('run:changed', (c) => change(c as Changed));
  watchTheme((dark) => void app.Shown(dark));
  return {
    name: 'window',
    picksFolders: true,
    changes(feed) {
      change = (c) => feed.changed(c);
      queueMicrotask(() => feed.open());
      return () => {
        change = () => {};
      };
    },
    onDrop(take) {
      runtime.EventsOn('drop', (offers) => take((offers as Offer[] | null) ?? []));
      void app.Ready();
    },
    // The window's page is no secure context everywhere, so it has no clipboard.
    copy: (text) => runtime.ClipboardSetText(text),
    pickTask: () => app.PickTask().then(orNothing, cancelled),
    pickFolder: () => app.PickFolder().then((path) => path || null, cancelled),
  };
}

/** watchTheme tells the theme now and whenever it changes. */
function watchTheme(tell: (dark: boolean) => void): void {
  const root = document.documentElement;
  const look = () => tell(root.dataset.theme === 'dark');
  new MutationObserver(look).observe(root, { attributeFilter: ['data-theme'] });
  look();
}

function orNothing(offer: Offer): Dropped | null {
  return offer.name ? offer : null;
}

function cancelled(caught: unknown): null {
  if (isFailure(caught) && caught.code === 'cancelled') return null;
  throw caught;
}
