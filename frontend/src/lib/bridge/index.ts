// The only door out of the page: nothing else calls fetch, the window's runtime
// or what is bound to it. door.test.ts looks for those who do.
import { browser } from './browser';
import type { Face } from './face';
import { http } from './http';
import { inWindow, wails } from './wails';

export { listen } from './http';
export { asFailed, Failed } from './errors';
export { type Dropped, type Feed, MAX_TASK } from './face';
export type * from './types.gen';

const face: Face = inWindow() ? wails() : browser;

/** bridge is what the page may read and ask, in either face. */
export const bridge = { ...http, ...face };
export type Bridge = typeof bridge;

/** newID makes the id that lets a wish be sent twice with one effect. */
export function newID(): string {
  // Not randomUUID: the window's page is not a secure context everywhere.
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return 'p' + Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
