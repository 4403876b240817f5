import type { Dropped } from '$lib/bridge';

/** Refusal says why a dropped file is not the task. */
export interface Refusal {
  kind: 'folder' | 'more' | 'problem';
  /** Of the file, or of several with commas between. */
  name: string;
  /** Of a problem: a code, or what the window said. */
  why?: string;
  /** Of a folder, where the window knows its place. */
  offer?: string;
}

/** sort finds the task among dropped files: the first that can be one. */
export function sort(files: Dropped[]): { task: Dropped | null; others: Dropped[] } {
  const at = files.findIndex((file) => !file.folder && !file.problem);
  const task = files[at] ?? null;
  return { task, others: files.filter((file) => file !== task) };
}

/** refuse says for each file that was not taken why that is so. */
export function refuse(task: Dropped | null, others: Dropped[]): Refusal[] {
  const refusals: Refusal[] = [];
  const more: string[] = [];
  for (const file of others) {
    if (file.folder) refusals.push({ kind: 'folder', name: file.name, offer: file.offer });
    else if (file.problem) refusals.push({ kind: 'problem', name: file.name, why: file.problem });
    else more.push(file.name);
  }
  if (task && more.length > 0) refusals.push({ kind: 'more', name: more.join(', ') });
  return refusals;
}
