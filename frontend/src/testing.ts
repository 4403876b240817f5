// Values for tests: whole ones, so that a test states only what it is about.
import type { Inspection, RoundRow, RunSummary, RunView } from '$lib/bridge';

export function summaryOf(over: Partial<RunSummary> = {}): RunSummary {
  return {
    id: 'r1',
    title: 'Quarterly report',
    standing: 'working',
    round: 7,
    rounds: 25,
    active_ms: 6_060_000,
    created_at: 1_000,
    changed_at: 2_000,
    workspace: '/home/ada/reports',
    ...over,
  };
}

export function rowOf(n: number, over: Partial<RoundRow> = {}): RoundRow {
  return { n, changed: n * 10, step: `step ${n}`, began: n * 1000, stages: [], changes: 0, ...over };
}

export function viewOf(over: Partial<RunView> = {}): RunView {
  return {
    run: summaryOf(),
    seq: 10,
    round_count: 0,
    round_rows: [],
    budgets: [],
    why: { code: 'between_phases' },
    worker: { alive: true },
    sealed: { to: 0 },
    guard: 'watch',
    guard_why: '',
    path: '/state/runs/r1',
    checkpoints: 0,
    ...over,
  };
}

export function inspectionOf(over: Partial<Inspection> = {}): Inspection {
  return {
    name: 'task.md',
    text: '# A report\n',
    size: 11,
    digest: '8c1e40d2',
    title: 'A report',
    problems: [],
    workspace: { path: '/home/ada/reports', exists: true, files: 18 },
    roles: ['manager', 'executor', 'auditor', 'reporter'].map((role) => ({
      role,
      agent: 'playbook',
      usable: true,
    })),
    agents: ['claude', 'playbook'],
    limits: [{ name: 'rounds', limit: 20 }],
    guard: 'kernel',
    blockers: [],
    ...over,
  };
}

/** Asked is one question that a page put to its server. */
export interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** Answer is what a test's server says: a body, or a status with one. */
type Answer = (body: unknown) => unknown;

/** serve stands in for the network below the bridge: answers by "GET /path".
 * What is not listed is a failure of the code not_found. It returns the list of
 * what was asked, growing. */
export function serve(answers: Record<string, Answer>): Asked[] {
  const asked: Asked[] = [];
  globalThis.fetch = (input, init) => {
    const method = init?.method ?? 'GET';
    const path = String(input);
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    asked.push({ method, path, body });
    const answer = answers[`${method} ${path}`];
    if (!answer) return Promise.resolve(refusal(404, 'not_found', `nothing at ${path}`));
    const said = answer(body);
    return Promise.resolve(said instanceof Response ? said : Response.json(said ?? {}));
  };
  return asked;
}

/** refusal is an answer that is not a success. */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status });
}
