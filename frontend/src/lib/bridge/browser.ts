import { type Dropped, type Face, type Feed, MAX_TASK } from './face';
import type { Changed } from './types.gen';

/** browser is the face that `longwatch serve` has. */
export const browser: Face = {
  name: 'browser',
  picksFolders: false,
  changes,
  onDrop(take) {
    addEventListener('drop', (event) => {
      const items = [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === 'file');
      if (items.length === 0) return;
      // Both must be asked for before the first await: the list is emptied then.
      const files = items.map((item) => ({ file: item.getAsFile(), folder: isFolder(item) }));
      void Promise.all(files.map(({ file, folder }) => read(file, folder))).then((read) =>
        take(read.filter((one) => one !== null)),
      );
    });
  },
  pickTask() {
    return new Promise((resolve) => {
      const input = document.createElement('input');
      input.type = 'file';
      input.accept = '.md,.markdown,.txt,text/plain,text/markdown';
      input.oncancel = () => resolve(null);
      input.onchange = () => void read(input.files?.[0] ?? null, false).then(resolve);
      input.click();
    });
  },
  pickFolder: () => Promise.resolve(null),
  copy: (text) =>
    navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    ),
};

function changes(feed: Feed): () => void {
  const source = new EventSource('/api/changes');
  source.onopen = () => feed.open();
  const take = (event: MessageEvent<string>) => feed.changed(JSON.parse(event.data) as Changed);
  source.onmessage = take;
  source.addEventListener('changed', take as (event: Event) => void);
  source.onerror = () => {
    // The browser would try again at its own pace and would not say why.
    source.close();
    feed.broken();
  };
  return () => source.close();
}

function isFolder(item: DataTransferItem): boolean {
  return item.webkitGetAsEntry()?.isDirectory ?? false;
}

/** read takes a file's text, or says by a code why it has none. */
export async function read(file: File | null, folder: boolean): Promise<Dropped | null> {
  if (!file) return null;
  if (folder) return { name: file.name, folder: true };
  if (file.size > MAX_TASK) return { name: file.name, problem: 'too_large' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      new Uint8Array(await file.arrayBuffer()),
    );
    return { name: file.name, text };
  } catch (caught) {
    return { name: file.name, problem: caught instanceof TypeError ? 'not_text' : 'unreadable' };
  }
}
