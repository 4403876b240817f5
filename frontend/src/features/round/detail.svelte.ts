import { untrack } from 'svelte';
import { asFailed, bridge, type Failed, type RoundDetail } from '$lib/bridge';

/** How many rounds are remembered, so that going back shows at once. */
const KEPT = 12;

/** Detail is one round whole, read again when its row has changed. */
export class Detail {
  value: RoundDetail | null = $state.raw(null);
  failed: Failed | null = $state.raw(null);

  #kept = new Map<string, RoundDetail>();
  #wanted = '';
  #busy = false;

  /** show asks for a round as of a record; called by an effect. */
  show(run: string, n: number, changed: number): void {
    untrack(() => {
      const place = `${run}/${n}`;
      const key = `${place}@${changed}`;
      if (key === this.#wanted) return;
      const same = this.#wanted.startsWith(`${place}@`);
      this.#wanted = key;
      const known = this.#kept.get(key);
      if (known) this.value = known;
      else if (!same) this.value = null;
      this.failed = null;
      if (!known && !this.#busy) void this.#read(run, n, key);
    });
  }

  async #read(run: string, n: number, key: string): Promise<void> {
    this.#busy = true;
    try {
      const value = await bridge.round(run, n);
      this.#keep(key, value);
      if (this.#wanted === key) this.value = value;
    } catch (caught) {
      if (this.#wanted === key) this.failed = asFailed(caught);
    } finally {
      this.#busy = false;
    }
    // While it was read something else was asked for.
    const wanted = /^(.*)\/(\d+)@\d+$/.exec(this.#wanted);
    if (this.#wanted !== key && wanted && !this.#kept.has(this.#wanted))
      void this.#read(wanted[1] as string, Number(wanted[2]), this.#wanted);
  }

  #keep(key: string, value: RoundDetail): void {
    this.#kept.set(key, value);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
