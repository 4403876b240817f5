import { bridge, type Dropped } from '$lib/bridge';
import { t } from '$lib/i18n';
import { inDialog } from '../../shell/keys';
import { router } from '../../router.svelte';
import { toasts } from './toasts.svelte';

/** Drops keeps what was dropped on the page until the new-run screen takes it. */
class Drops {
  waiting: Dropped[] | null = $state.raw(null);
  /** Whether something is held over the page just now. */
  over = $state(false);

  begin(): void {
    bridge.onDrop((files) => this.take(files));
    this.#watch();
  }

  /** take is also how a chosen file comes in. A dialog is not torn away for a
   * drop: the file waits, and that is said. */
  take(files: Dropped[]): void {
    this.over = false;
    const first = files[0];
    if (!first) return;
    this.waiting = files;
    if (inDialog()) toasts.say(t.newRun.waiting(first.name));
    else router.go({ screen: 'new' });
  }

  /** taken hands over what waits, once. */
  taken(): Dropped[] | null {
    const files = this.waiting;
    this.waiting = null;
    return files;
  }

  #watch(): void {
    let depth = 0;
    const set = (to: number) => {
      depth = Math.max(0, to);
      this.over = depth > 0;
    };
    addEventListener('dragenter', (event) => carriesFile(event) && set(depth + 1));
    addEventListener('dragleave', (event) => carriesFile(event) && set(depth - 1));
    addEventListener('drop', () => set(0));
  }
}

// WebKitGTK names files "text/uri-list" and browsers "Files".
function carriesFile(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? [];
  return types.includes('Files') || (types.includes('text/uri-list') && !types.includes('text/plain'));
}

export const drops = new Drops();
