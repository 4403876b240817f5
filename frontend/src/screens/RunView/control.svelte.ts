import { asFailed, type Command, type Receipt } from '$lib/bridge';
import { Once } from '$features/composer/once';
import { t } from '$lib/i18n';
import { explain } from '$lib/i18n/failure';
import type { Run } from '$lib/state/run.svelte';
import { toasts } from '$lib/state/toasts.svelte';

/** Control sends what the person wants of the run on the screen, one wish at a
 * time, and says what became of it. */
export class Control {
  /** Kind of the wish that is on its way. */
  busy: string | null = $state(null);

  #run: Run;
  #once = new Once();

  constructor(run: Run) {
    this.#run = run;
  }

  /** wish answers whether it had its effect. */
  async wish(wish: Omit<Command, 'id'>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = wish.kind;
    try {
      const receipt = await this.#once.send(wish, (command) => this.#run.command(command));
      this.#say(wish.kind, receipt);
      return !receipt.refused;
    } catch (caught) {
      toasts.trouble(explain(asFailed(caught)));
      this.#run.refresh();
      return false;
    } finally {
      this.busy = null;
    }
  }

  #say(kind: string, receipt: Receipt): void {
    if (receipt.refused) toasts.trouble(`${t.failure.refused} ${receipt.refused}`);
    // A message stands in its own list; to say it twice would cover that.
    else if (receipt.seq && kind !== 'send') toasts.say(t.live.act.sent(receipt.seq));
  }
}
