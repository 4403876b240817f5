import { asFailed, type Command, newID } from '$lib/bridge';

/** Once gives each wish its id. A wish whose fate is not known keeps the id, so
 * that trying again cannot have a second effect; one that was answered is over,
 * and the same words are a new wish. */
export class Once {
  #open = new Map<string, string>();

  async send<T>(wish: Omit<Command, 'id'>, send: (command: Command) => Promise<T>): Promise<T> {
    const key = JSON.stringify(wish);
    const id = this.#open.get(key) ?? newID();
    this.#open.set(key, id);
    try {
      const answer = await send({ id, ...wish });
      this.#open.delete(key);
      return answer;
    } catch (caught) {
      if (!UNKNOWN.has(asFailed(caught).code)) this.#open.delete(key);
      throw caught;
    }
  }
}

/** Failures after which the wish may still have an effect. */
const UNKNOWN: ReadonlySet<string> = new Set(['unreachable', 'unreadable_answer', 'no_worker', 'internal']);
