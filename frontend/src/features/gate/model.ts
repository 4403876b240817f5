// What the dialog of a gate offers, and what an answer needs. Pure.
import type { Command, Gate, GateFailure, RunSummary } from '$lib/bridge';
import { t, word } from '$lib/i18n';

export type Want = 'none' | 'optional' | 'required';

/** Model is a gate as its dialog shows it. */
export interface Model {
  icon: 'flag' | 'warn' | 'ask';
  title: string;
  /** Whether the answer has words. */
  text: Want;
  /** Rounds to add: what is offered first and the least that is taken; null
   * where rounds are not the matter. */
  rounds: { first: number; least: number } | null;
  /** The main button ends the run: only where ending it is accepting it. */
  mainEnds: boolean;
  /** The question as recorded is shown: it is the role's own words. */
  verbatim: boolean;
}

/** Rounds that a run should have before it is let go on. */
const ENOUGH = 5;

/** Most rounds that one answer adds; the backend has the same limit. */
export const MOST_ROUNDS = 10_000;

/** model reads a gate. A trigger of a newer version shows its question and takes
 * words. */
export function model(gate: Gate, run: RunSummary): Model {
  const more = { first: Math.max(0, ENOUGH - gate.left), least: 0 };
  const base = { mainEnds: false, verbatim: false, rounds: more, text: 'optional' as Want };
  switch (gate.trigger) {
    case 'completed':
      return { ...base, icon: 'flag', title: t.live.gate.title.completed, mainEnds: true };
    case 'max_rounds':
      return {
        ...base,
        icon: 'warn',
        title: limit(gate.reason, run),
        rounds: gate.reason === 'budget.rounds' ? { first: ENOUGH, least: 1 } : null,
      };
    case 'needs_input':
      return {
        ...base,
        icon: 'ask',
        title: t.live.gate.title.needs_input,
        text: 'required',
        verbatim: true,
        rounds: gate.left > 0 ? null : more,
      };
    case 'repeated_failure':
      return { ...base, icon: 'warn', title: failing(gate) };
    default:
      return {
        ...base,
        ...human(gate),
        icon: 'warn',
        // To audit again takes no round.
        rounds: gate.left > 0 || gate.reason.startsWith('audit.') ? null : more,
      };
  }
}

function limit(reason: string, run: RunSummary): string {
  if (reason === 'budget.rounds') return t.live.gate.limit.rounds(run.rounds);
  return word(t.live.gate.used, reason);
}

function failing(gate: Gate): string {
  if (gate.reason === 'failures.no_progress') return t.live.gate.title.no_progress;
  // The details are one reason for each round of the streak.
  return t.live.gate.failing(Math.max(gate.details?.length ?? 0, gate.failures?.length ?? 0, 1));
}

function human(gate: Gate): Pick<Model, 'title' | 'text' | 'verbatim'> {
  switch (gate.reason) {
    case 'audit.void':
      return { title: t.live.gate.title.audit_void, text: 'optional', verbatim: false };
    case 'audit.stale_twice':
      return { title: t.live.gate.title.audit_stale, text: 'optional', verbatim: false };
    case 'capability.missing':
      return { title: t.live.gate.title.missing, text: 'optional', verbatim: true };
    default:
      return { title: t.live.gate.title.needs_human, text: 'required', verbatim: true };
  }
}

/** Draft is what the person has put into the dialog. */
export interface Draft {
  text: string;
  /** As typed. */
  rounds: string;
}

export type Flaw = 'text' | 'rounds';

/** flaw is what an answer lacks; null when it can be given. An answer that ends
 * the run needs nothing. */
export function flaw(of: Model, end: boolean, draft: Draft): Flaw | null {
  if (end) return null;
  if (of.text === 'required' && draft.text.trim() === '') return 'text';
  if (of.rounds) {
    const n = number(draft.rounds);
    if (n === null || n < of.rounds.least || n > MOST_ROUNDS) return 'rounds';
  }
  return null;
}

function number(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return 0;
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** answer is the wish that the dialog sends; it has no id yet. */
export function answer(gate: Gate, of: Model, end: boolean, draft: Draft): Omit<Command, 'id'> {
  const wish: Omit<Command, 'id'> = { kind: 'answer', gate: gate.id };
  if (end) return { ...wish, end: true };
  const text = draft.text.trim();
  const rounds = of.rounds ? (number(draft.rounds) ?? 0) : 0;
  return { ...wish, ...(text ? { text } : {}), ...(rounds > 0 ? { rounds } : {}) };
}

/** common is the check that failed in each of several rounds with the same
 * result; null when the causes differ. */
export function common(failures: GateFailure[]): { check: string; proof: string } | null {
  const [first, ...others] = failures;
  if (!first?.check || others.length === 0) return null;
  const same = others.every((f) => f.check === first.check && (f.proof ?? '') === (first.proof ?? ''));
  return same ? { check: first.check, proof: first.proof ?? '' } : null;
}

/** What of a long question is shown before *Show all*, in characters. */
export const SHOWN = 1200;

/** bounded is the beginning of a long text, cut between words where it can be. */
export function bounded(text: string, most = SHOWN): { text: string; cut: boolean } {
  const all = [...text];
  if (all.length <= most) return { text, cut: false };
  const head = all.slice(0, most).join('');
  const space = head.search(/\s\S*$/);
  return { text: (space > most / 2 ? head.slice(0, space) : head) + '…', cut: true };
}
