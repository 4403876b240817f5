import { link } from './link.svelte';
import { Run } from './run.svelte';

/** How often a run on the screen is read though nothing was heard of it, in ms:
 * that its files were tampered with is told by nobody. */
const ANYWAY = 4000;

/** Watched are the runs that some part of the page looks at: one snapshot for
 * all of them, read while at least one of them holds it. */
class Watched {
  #runs = new Map<string, { run: Run; users: number; stop: () => void }>();

  /** of is a run's snapshot; it is kept up to date only while it is held. */
  of(id: string): Run {
    return this.#entry(id).run;
  }

  /** hold follows a run until the answer is called. */
  hold(id: string): () => void {
    const entry = this.#entry(id);
    if (entry.users++ === 0) {
      const stop = entry.run.follow();
      const timer = setInterval(() => {
        if (document.visibilityState === 'visible' && link.standing === 'live') entry.run.refresh();
      }, ANYWAY);
      entry.stop = () => {
        clearInterval(timer);
        stop();
      };
    }
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--entry.users > 0) return;
      entry.stop();
      if (this.#runs.get(id) === entry) this.#runs.delete(id);
    };
  }

  #entry(id: string) {
    let entry = this.#runs.get(id);
    if (!entry) {
      entry = { run: new Run(id), users: 0, stop: () => {} };
      this.#runs.set(id, entry);
    }
    return entry;
  }
}

export const watched = new Watched();
