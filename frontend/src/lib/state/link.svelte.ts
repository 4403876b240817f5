import { bridge, type Changed, type Failed, listen } from '$lib/bridge';

/** How long to wait before the next try, in ms; the last one stays. */
const WAITS = [250, 500, 1000, 2000, 3000];

export type Standing = 'connecting' | 'live' | 'unreachable' | 'signed_out';

interface Hearer {
  changed(change: Changed): void;
  /** Something may have been missed: read all again. */
  missed(): void;
}

/** Link knows whether what the page shows is still so. It holds the one feed of
 * changes, begins it anew when it breaks, and tells everybody to read again
 * once it is back. */
class Link {
  standing: Standing = $state('connecting');
  /** When the last good answer came, unix ms; 0 before the first. */
  lastGood = $state(0);

  #hearers = new Set<Hearer>();
  #stop: () => void = () => {};
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** begin is called once, when the page starts, and again after signing in. */
  begin(): void {
    if (this.standing === 'signed_out') this.standing = 'connecting';
    listen({ good: () => this.#good(), bad: (failed) => this.#bad(failed) });
    this.#open();
  }

  /** hear subscribes; the answer ends it. */
  hear(hearer: Hearer): () => void {
    this.#hearers.add(hearer);
    return () => this.#hearers.delete(hearer);
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stop();
    this.#stop = bridge.changes({
      changed: (change) => this.#hearers.forEach((h) => h.changed(change)),
      open: () => {
        this.#tries = 0;
        this.standing = 'live';
        this.#hearers.forEach((h) => h.missed());
      },
      broken: () => void this.#ask(),
    });
  }

  // A broken feed does not say why; an ordinary question does.
  async #ask(): Promise<void> {
    try {
      await bridge.about();
      // Answers come, the feed does not: then reading now and then has to do.
      this.#hearers.forEach((h) => h.missed());
      this.#later();
    } catch {
      // #bad has heard of it.
    }
  }

  #good(): void {
    this.lastGood = Date.now();
  }

  /** signedOut stops asking until begin is called again. */
  signedOut(): void {
    this.standing = 'signed_out';
    this.#stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #bad(failed: Failed): void {
    if (failed.code === 'signed_out') return this.signedOut();
    if (this.standing !== 'signed_out') this.standing = 'unreachable';
    this.#later();
  }

  #later(): void {
    if (this.#timer !== undefined || this.standing === 'signed_out') return;
    const wait = WAITS[Math.min(this.#tries++, WAITS.length - 1)];
    this.#timer = setTimeout(() => this.#open(), wait);
  }
}

export const link = new Link();
