import { asFailed, bridge, type Command, type Failed, type Receipt, type RunView } from '$lib/bridge';
import { coalesce } from './coalesce';
import { link } from './link.svelte';
import { merge } from './merge';

/** One run is read at most this often, in ms. */
const GAP = 150;

/** Run is the one snapshot of a run: replaced, never changed in place. */
export class Run {
  readonly id: string;
  view: RunView | null = $state.raw(null);
  /** Why it could not be read the last time; view then is what was known. */
  failed: Failed | null = $state.raw(null);

  refresh = coalesce(() => this.#read(), GAP);

  constructor(id: string) {
    this.id = id;
  }

  /** follow reads the run now and whenever it changes; the answer ends that. */
  follow(): () => void {
    this.refresh();
    return link.hear({
      changed: (change) => {
        // Whatever its number: that a worker died has no record.
        if (change.run === this.id) this.refresh();
      },
      missed: () => this.refresh(),
    });
  }

  /** command sends a wish and reads what came of it. */
  async command(wish: Command): Promise<Receipt> {
    const receipt = await bridge.command(this.id, wish);
    this.refresh();
    return receipt;
  }

  async #read(): Promise<void> {
    try {
      const news = await bridge.run(this.id, this.view?.seq);
      this.view = merge(this.view, news) ?? (await bridge.run(this.id));
      this.failed = null;
    } catch (caught) {
      this.failed = asFailed(caught);
    }
  }
}
