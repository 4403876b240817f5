import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { inject } from 'vitest';

interface Invitation {
  address: string;
  code: string;
  url: string;
}

/** Server is `longwatch serve` over a state folder of its own. Its workers are
 * real and outlive it, until remove. */
export class Server {
  /** A folder for tasks and workspaces; the state is in another. */
  readonly work: string;
  readonly home: string;
  invitation!: Invitation;

  readonly #dir = mkdtempSync(join(tmpdir(), 'longwatch-e2e-'));
  #process: ChildProcess | undefined;
  #lines: Interface | undefined;
  #port = 0;

  constructor() {
    this.home = join(this.#dir, 'state');
    this.work = join(this.#dir, 'work');
    mkdirSync(this.work);
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.work, LANG: 'C.UTF-8', LONGWATCH_HOME: this.home };
  }

  /** start serves, at the same port as before, and waits for its invitation. */
  async start(): Promise<Invitation> {
    const child = spawn(inject('longwatch'), ['serve', '--json', '--port', String(this.#port)], {
      env: this.env,
      cwd: this.work,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process = child;
    this.#lines = createInterface({ input: child.stdout });
    await this.#invited();
    this.#port = Number(new URL(this.invitation.address).port);
    return this.invitation;
  }

  /** invite asks for another code: each is used once. */
  async invite(): Promise<void> {
    const invited = this.#invited();
    this.#process?.stdin?.write('\n');
    await invited;
  }

  async #invited(): Promise<void> {
    const ended = once(this.#lines as Interface, 'close').then(() => {
      throw new Error('serve ended without an invitation');
    });
    const [line] = (await Promise.race([once(this.#lines as Interface, 'line'), ended])) as [string];
    ended.catch(() => undefined);
    this.invitation = JSON.parse(line) as Invitation;
  }

  /** stop ends the server; the runs go on. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }

  /** remove ends everything that belongs to this state, and deletes it. */
  async remove(): Promise<void> {
    await this.stop();
    for (const pid of this.workers()) kill(pid, 'SIGKILL');
    await until(() => this.workers().length === 0, 'the workers are gone');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** workers are the processes at work on runs of this state. */
  workers(): number[] {
    const runs = join(this.home, 'runs');
    return (existsSync(runs) ? readdirSync(runs) : []).map((id) => this.worker(id)).filter((pid) => pid > 0);
  }

  /** worker is the process at work on one run; 0: none. */
  worker(run: string): number {
    try {
      const { pid } = JSON.parse(readFileSync(join(this.home, 'runs', run, 'worker.lock'), 'utf8')) as {
        pid: number;
      };
      return kill(pid, 0) ? pid : 0;
    } catch {
      return 0;
    }
  }

  /** run calls the command line and answers with what it prints. */
  cli(...args: string[]): string {
    return execFileSync(inject('longwatch'), args, { env: this.env, cwd: this.work, encoding: 'utf8' });
  }

  /** file writes a file below the work folder and answers with its path. */
  file(name: string, text: string): string {
    const path = join(this.work, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  }
}

/** kill sends a signal; signal 0 only asks whether the process is there. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** until waits for a condition, for at most a time in ms. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  within = 30_000,
): Promise<void> {
  const end = Date.now() + within;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await new Promise((again) => setTimeout(again, 50));
  }
}
