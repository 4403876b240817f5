import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Server, until } from './server';

// Tasks that lead to each question, and an agent that plays what a folder says:
// a shell script for each phase, or for a phase of one round.

const AGENT = `cat > /dev/null
f="$1/$LONGWATCH_PHASE"
if [ -e "$f.$LONGWATCH_ROUND" ]; then f="$f.$LONGWATCH_ROUND"; fi
exec /bin/sh "$f"
`;

const SUPPORTS = 'Status: complete\nIntegrity: clean\nContract audit: aligned\n\nI looked at the file.';

/** Cast is who plays: what each phase, "plan" or "plan.2", says or does. */
type Cast = Record<string, string>;

export const say = (text: string) => `cat <<'END'\n${text}\nEND\n`;

/** hire makes an agent of this name that plays a cast. */
export function hire(server: Server, agents: Record<string, Cast>): void {
  const program = server.file('agents/agent.sh', AGENT);
  const tables = Object.entries(agents).map(([name, cast]) => {
    for (const [phase, script] of Object.entries(cast)) server.file(`agents/${name}/${phase}`, script);
    const command = ['/bin/sh', program, join(program, '..', name)];
    return `[agents.${name}]\ncommand = ${JSON.stringify(command)}\n`;
  });
  server.file('../state/settings.toml', tables.join('\n'));
}

/** begin starts a task in a folder of its own and answers with its run. */
export async function begin(server: Server, name: string, task: string): Promise<string> {
  const path = server.file(`${name}/task.md`, task);
  const before = new Set(runs(server));
  server.cli('run', path, '--detach');
  const id = runs(server).find((run) => !before.has(run));
  if (!id) throw new Error('no run was made');
  await until(() => server.worker(id) > 0 || ended(server, id), 'a worker is at work');
  return id;
}

function ended(server: Server, id: string): boolean {
  return server.cli('show', id, '--json').includes('"outcome"');
}

/** runs are the runs of a state. */
export function runs(server: Server): string[] {
  try {
    return readdirSync(join(server.home, 'runs'));
  } catch {
    return [];
  }
}

/** visit opens the screen of a run. */
export async function visit(page: Page, server: Server, id: string, more = ''): Promise<void> {
  await page.goto(`${server.invitation.address}#/run/${id}${more}`);
  await page.locator('main h1').waitFor();
}

/** Writes one file, asks before it is done. */
export const COMPLETES = (title: string) => `---
title: ${title}
steps:
  - name: Write the report
    run: printf 'one\\ntwo\\n' > report.txt
    expect:
      - file report.txt contains "two"
  - name: Count its lines
    run: wc -l < report.txt > count.txt
    expect:
      - file count.txt exists
checks:
  - file report.txt exists
---
# ${title}
`;

/** Has one round for two steps. */
export const LIMITED = `---
title: One round only
limits: {rounds: 1}
steps:
  - name: Write the first half
    run: echo one > a.txt
    expect: file a.txt exists
  - name: Write the second half
    run: echo two > b.txt
    expect: file b.txt exists
---
# One round only
`;

/** Fails in all its attempts. */
export const BLOCKED = `---
title: A key is missing
steps:
  - name: Open the archive with its key
    run: echo "no key, nothing opened" >&2
    expect: file archive.open exists
---
# A key is missing
`;

/** Fails twice with the same result, whatever its agents say. */
export const FAILING = `---
title: Four pages
agent: liar
limits: {fails: 2}
---
# Four pages
- [ ] report.txt has four pages
`;

export const LIAR: Cast = {
  plan: say(
    'Next: cli\nTask: Export the report with four pages\nRequirements: R1\nAcceptance criteria:\n- C1 it has four pages   check: run `grep "Pages: 4" report.txt`',
  ),
  execute: `echo 'Pages: 5' > report.txt\n${say('Exported, **four** pages.')}`,
  audit: say(SUPPORTS),
  report: say('It has five pages.'),
};

/** Asks which colour. */
export const ASKING = (title: string) => `---
title: ${title}
agent: asks
---
# ${title}
- [ ] out.txt names the colour
`;

export const ASKS: Cast = {
  'plan.1': say(
    'Next: ask\nQuestion: Which colour should the heading have? <script>alert(1)</script>\nChoices: red | azure',
  ),
  plan: say('Next: cli\nTask: Write the colour\nRequirements: R1'),
  'plan.3': say('Current task state:\n- R1 [completed @round_002] out.txt names the colour\nNext: done'),
  execute: `echo azure > out.txt\n${say('Done.')}`,
  audit: say(SUPPORTS),
  final_audit: say(SUPPORTS),
  report: say('# The colour\n\nIt is **azure**, in `out.txt`.\n\n- one\n- two\n\n<b>no markup</b>'),
};
