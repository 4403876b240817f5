import type { Changed, Offer } from './types.gen';

/** Dropped is a file the person gave by hand: in a browser with its text, in
 * the window by an offer that only the window can open. A problem says why it
 * cannot be a task. */
export interface Dropped extends Offer {
  text?: string;
}

/** Feed is what a face reports about changes. */
export interface Feed {
  changed(change: Changed): void;
  /** The feed began or began again; what happened in between was missed. */
  open(): void;
  /** The feed broke; it is tried again by whoever asked for it. */
  broken(): void;
}

/** Face is what differs between the window and a browser. */
export interface Face {
  readonly name: 'window' | 'browser';
  /** Whether a folder can be chosen by a dialog. */
  readonly picksFolders: boolean;
  /** Begins the feed of changes and returns what ends it. */
  changes(feed: Feed): () => void;
  /** Called for each drop of files, wherever on the page. Once per page. */
  onDrop(take: (files: Dropped[]) => void): void;
  /** Asks for one task file; null when the person thinks better of it. */
  pickTask(): Promise<Dropped | null>;
  /** Puts a text where the person can paste it; false: that was not allowed. */
  copy(text: string): Promise<boolean>;
  /** Asks for a folder; null as above, and always in a browser. */
  pickFolder(): Promise<string | null>;
}

/** The largest task file, in bytes; the backend has the last word. */
export const MAX_TASK = 256 * 1024;
