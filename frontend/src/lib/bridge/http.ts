import { asFailed, Failed, isFailure } from './errors';
import type * as wire from './types.gen';

/** How long a read and a wish may take before the page says that nobody
 * answers, in ms. A wish waits for the worker's receipt. */
const READ_MS = 15_000;
const WISH_MS = 60_000;

/** Ear hears how each call ended; lib/state/link.svelte.ts listens. */
export interface Ear {
  good(): void;
  bad(failed: Failed): void;
}

let ear: Ear = { good() {}, bad() {} };

/** listen sets the one listener. */
export function listen(to: Ear): void {
  ear = to;
}

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? undefined : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: 'no-store',
      signal: AbortSignal.timeout(method === 'GET' ? READ_MS : WISH_MS),
    });
  } catch (caught) {
    const failed = new Failed({ code: 'unreachable', message: asFailed(caught).message });
    ear.bad(failed);
    throw failed;
  }
  if (answer.ok) {
    ear.good();
    return answer;
  }
  const failed = new Failed(await failureOf(answer));
  if (failed.code === 'signed_out') ear.bad(failed);
  else ear.good();
  throw failed;
}

async function failureOf(answer: Response): Promise<wire.Failure> {
  const text = await answer.text().catch(() => '');
  try {
    const body: unknown = JSON.parse(text);
    if (isFailure(body)) return body;
  } catch {
    // Not ours; said below.
  }
  return { code: 'unreadable_answer', message: `${answer.status} ${text.slice(0, 200)}`.trim() };
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await call(method, path, body);
  return (await answer.json()) as T;
}

const run = (id: string) => `/api/runs/${encodeURIComponent(id)}`;

/** http is the part of the bridge that is the same in the window and in a
 * browser. Each call throws a Failed. */
export const http = {
  about: () => json<wire.About>('GET', '/api/about'),
  runs: () => json<wire.RunList>('GET', '/api/runs'),
  /** With after, only the rounds, records and parts that changed since then. */
  run: (id: string, after = 0) =>
    json<wire.RunView>('GET', after > 0 ? `${run(id)}?after=${after}&records=changed` : run(id)),
  round: (id: string, n: number) => json<wire.RoundDetail>('GET', `${run(id)}/rounds/${n}`),
  task: (id: string) => call('GET', `${run(id)}/task`).then((a) => a.text()),
  text: (id: string, digest: string) => call('GET', http.textUrl(id, digest)).then((a) => a.text()),
  textUrl: (id: string, digest: string) => `${run(id)}/texts/${encodeURIComponent(digest)}`,
  evidenceUrl: (id: string, digest: string) => `${run(id)}/evidence/${encodeURIComponent(digest)}`,
  /** The id in the command makes a second sending harmless. */
  command: (id: string, c: wire.Command) => json<wire.Receipt>('POST', `${run(id)}/commands`, c),
  remove: (id: string) => call('DELETE', run(id)).then(() => undefined),
  inspect: (draft: wire.TaskDraft) => json<wire.Inspection>('POST', '/api/inspect', draft),
  start: (start: wire.Start) => json<wire.Begun>('POST', '/api/runs', start),
  sample: () => json<wire.TaskDraft>('POST', '/api/sample', {}),
  doctor: () => json<wire.Probe[]>('GET', '/api/doctor'),
  signIn: (code: string) => call('POST', '/api/sign-in', { code }).then(() => undefined),
};
