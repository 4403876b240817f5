import { asFailed, bridge, type Failed, type RunSummary } from '$lib/bridge';
import { coalesce } from './coalesce';
import { group } from './group';
import { link } from './link.svelte';

/** The list is read at most this often, in ms. */
const GAP = 250;

/** Runs is the list of runs, as last read. */
class Runs {
  list: RunSummary[] = $state.raw([]);
  /** Whether list has ever been read. */
  known = $state(false);
  failed: Failed | null = $state.raw(null);

  groups = $derived(group(this.list));
  #refresh = coalesce(() => this.#read(), GAP);

  begin(): void {
    link.hear({ changed: () => this.refresh(), missed: () => this.refresh() });
  }

  refresh(): void {
    this.#refresh();
  }

  async #read(): Promise<void> {
    try {
      this.list = (await bridge.runs()).runs;
      this.known = true;
      this.failed = null;
    } catch (caught) {
      this.failed = asFailed(caught);
    }
  }
}

export const runs = new Runs();
