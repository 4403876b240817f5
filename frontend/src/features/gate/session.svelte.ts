import { asFailed, bridge, type Failed, type Gate, type RunView } from '$lib/bridge';
import { Once } from '../composer/once';
import { answer, type Draft, flaw, type Flaw, type Model, model } from './model';

/** Session is one question while its dialog is open. The question does not
 * change under the person's hands: what happens elsewhere is said beside it. */
export class Session {
  readonly run: string;
  readonly gate: Gate;
  /** Opened by the person, not by itself. */
  readonly wanted: boolean;
  of: Model;

  text = $state('');
  rounds = $state('');
  /** The answer that is on its way. */
  sending: 'end' | 'go' | null = $state(null);
  /** Said once the person has tried. */
  flaw: Flaw | null = $state(null);
  failed: Failed | null = $state.raw(null);
  /** Why the worker refused it, as recorded. */
  refused = $state('');
  /** Somebody else was first; how, where that is known. */
  elsewhere: string | null = $state(null);

  #view: () => RunView | null;
  #once = new Once();

  constructor(view: RunView & { gate: Gate }, wanted: boolean, now: () => RunView | null) {
    this.run = view.run.id;
    this.gate = view.gate;
    this.wanted = wanted;
    this.of = model(view.gate, view.run);
    this.rounds = `${this.of.rounds?.first ?? ''}`;
    this.#view = now;
  }

  /** look notices that the question is not open any more. */
  look(): void {
    const view = this.#view();
    if (this.sending || this.elsewhere !== null || !view) return;
    if (view.gate?.id !== this.gate.id) this.elsewhere = '';
  }

  /** give sends an answer, at most one at a time, and answers with the number of
   * its record; null when it had no effect. */
  async give(end: boolean): Promise<number | null> {
    if (this.sending || this.elsewhere !== null) return null;
    const draft: Draft = { text: this.text, rounds: this.rounds };
    this.flaw = flaw(this.of, end, draft);
    if (this.flaw) return null;
    this.sending = end ? 'end' : 'go';
    this.failed = null;
    this.refused = '';
    try {
      const receipt = await this.#once.send(answer(this.gate, this.of, end, draft), (command) =>
        bridge.command(this.run, command),
      );
      if (receipt.refused) this.refused = receipt.refused;
      return receipt.refused ? null : (receipt.seq ?? 0);
    } catch (caught) {
      const failed = asFailed(caught);
      if (failed.code === 'gate_stale') this.elsewhere = failed.message;
      else this.failed = failed;
      return null;
    } finally {
      this.sending = null;
    }
  }
}
