import { SvelteSet } from 'svelte/reactivity';
import { asFailed, bridge, type Command, newID, type Receipt } from '$lib/bridge';
import { t } from '$lib/i18n';
import { explain } from '$lib/i18n/failure';
import { runs } from './runs.svelte';
import { toasts } from './toasts.svelte';

/** Wishes are what the person asks of runs from outside their own screen. */
class Wishes {
  /** Runs for which a wish is under way. */
  readonly busy = new SvelteSet<string>();

  /** send gives the wish an id, so that a second click has no second effect,
   * and says what went wrong. */
  send(run: string, wish: Omit<Command, 'id'>): Promise<Receipt | null> {
    return this.#once(run, async () => {
      const receipt = await bridge.command(run, { id: newID(), ...wish });
      if (receipt.refused) toasts.trouble(`${t.failure.refused} ${receipt.refused}`);
      return receipt;
    });
  }

  /** remove deletes a run and says so; the answer is whether it is gone. */
  async remove(run: string, title: string): Promise<boolean> {
    const done = await this.#once(run, async () => {
      await bridge.remove(run);
      toasts.say(t.runs.removed(title));
      return true;
    });
    return done ?? false;
  }

  async #once<T>(run: string, work: () => Promise<T>): Promise<T | null> {
    if (this.busy.has(run)) return null;
    this.busy.add(run);
    try {
      return await work();
    } catch (caught) {
      toasts.trouble(explain(asFailed(caught)));
      return null;
    } finally {
      this.busy.delete(run);
      runs.refresh();
    }
  }
}

export const wishes = new Wishes();
