import type { RoundRow, Stage } from '$lib/bridge';
import type { Tone } from '$lib/format/verdict';

/** Cell is one phase of a round as it is shown: attempts of the same phase are
 * one cell. */
export interface Cell {
  phase: string;
  state: 'todo' | 'running' | 'done' | 'failed' | 'interrupted';
  icon: string;
  tone: Tone;
  /** Time that was spent, in ms; absent for what is to come. */
  ms?: number;
  attempts: number;
}

const STEP = ['plan', 'execute', 'check', 'audit'];

/** What a round of a route goes through; a route of a newer version is a step. */
function course(row: RoundRow): readonly string[] {
  switch (row.route) {
    case 'ask':
    case 'blocked':
      return ['plan'];
    case 'wait':
      return ['plan', 'probe'];
    case 'done':
      return ['plan', 'final_check'];
    default:
      return STEP;
  }
}

/** cells are the phases of a round in their order. Only an open round has phases
 * to come, and only those after what already ran: a check may be left out.
 * Until is now, or when the worker was last there, in unix ms. */
export function cells(row: RoundRow, until: number | null, now: number): Cell[] {
  const order = course(row);
  const seen = [...new Set(row.stages.map((stage) => stage.phase))];
  const gone = seen.map((phase) => gather(row, phase, until, now));
  if (row.closed) return gone;
  const reached = Math.max(...seen.map((phase) => order.indexOf(phase)), -1);
  const astray = seen.some((phase) => !order.includes(phase));
  const todo = astray ? [] : order.slice(reached + 1);
  return [...gone, ...todo.map((phase) => look(row, phase, 'todo', 0, {}))];
}

function gather(row: RoundRow, phase: string, until: number | null, now: number): Cell {
  const all = row.stages.filter((stage) => stage.phase === phase);
  const last = all[all.length - 1] as Stage;
  const state = until !== null && last.state === 'running' ? 'interrupted' : known(last.state);
  const ms = all.reduce((sum, stage) => sum + spent(stage, until ?? now), 0);
  return look(row, phase, state, last.attempt, { ms, bad: (last.failed ?? 0) > 0 });
}

function look(
  row: RoundRow,
  phase: string,
  state: Cell['state'],
  attempts: number,
  more: { ms?: number; bad?: boolean },
): Cell {
  const tone = more.bad && state === 'done' ? 'bad' : TONES[state];
  return { phase, state, tone, icon: iconOf(row, phase, state, tone), ms: more.ms, attempts };
}

const TONES: Record<Cell['state'], Tone> = {
  todo: 'off',
  running: 'run',
  done: 'ok',
  failed: 'bad',
  interrupted: 'ask',
};

const ICONS: Record<string, string> = {
  plan: 'plan',
  execute: 'cli',
  check: 'checks',
  audit: 'audit',
  final_check: 'checks',
  final_audit: 'audit',
  report: 'file',
  probe: 'wait',
};

function iconOf(row: RoundRow, phase: string, state: Cell['state'], tone: Tone): string {
  if (state === 'running') return 'run';
  if (state === 'interrupted') return 'unplug';
  if (state === 'todo') return phase === 'execute' && row.route === 'gui' ? 'gui' : (ICONS[phase] ?? 'run');
  return tone === 'bad' ? 'bad' : 'ok';
}

function known(state: string): Cell['state'] {
  return state === 'running' || state === 'failed' || state === 'interrupted' ? state : 'done';
}

/** spent is how long a phase took, or has taken until now, in ms. */
export function spent(stage: Stage, until: number): number {
  return Math.max(0, (stage.ended ?? until) - stage.began);
}

/** work is the time of all phases of a round, in ms. */
export function work(row: RoundRow, until: number): number {
  return row.stages.reduce((sum, stage) => sum + spent(stage, until), 0);
}

/** price is what a round cost, in millionths of a dollar; undefined when nobody
 * said. */
export function price(row: RoundRow): number | undefined {
  const said = row.stages.filter((stage) => stage.micro_usd !== undefined);
  return said.length === 0 ? undefined : said.reduce((sum, stage) => sum + (stage.micro_usd ?? 0), 0);
}

/** stopwatch writes a duration as a clock does: "0:41", "14:02", "1:02:11". */
export function stopwatch(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const h = Math.floor(s / 3600);
  const m = Math.floor(s / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}
