import type { Message } from '$lib/bridge';

/** Fate is what became of a message: it waits for the plan of a round, or that
 * of a round has used it. */
export type Fate = { kind: 'waits'; round: number } | { kind: 'used'; round: number };

/** fate says what became of a message in a run that has so many rounds. A round
 * whose plan is still being made may read it yet. */
export function fate(message: Message, rounds: number, planning: boolean): Fate {
  if (message.used_by) return { kind: 'used', round: message.used_by };
  return { kind: 'waits', round: planning && rounds > 0 ? rounds : rounds + 1 };
}

/** unread counts the messages that no plan has used. */
export function unread(messages: readonly Message[]): number {
  return messages.filter((message) => !message.used_by).length;
}
