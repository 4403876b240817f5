import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The longwatch that was built for these tests. */
    longwatch: string;
  }
}

/** Builds the page and the program as they stand, once for all tests. */
export default function build(project: TestProject): () => void {
  const root = join(import.meta.dirname, '..', '..');
  const dir = mkdtempSync(join(tmpdir(), 'longwatch-e2e-'));
  const longwatch = process.env.LONGWATCH_BIN ?? join(dir, 'longwatch');
  if (!process.env.LONGWATCH_BIN) {
    // The page as it is shipped: not one for tests, which vitest's own
    // environment would ask for.
    const { VITEST: _, ...env } = process.env;
    execFileSync('npx', ['vite', 'build', '--logLevel', 'warn'], {
      cwd: join(root, 'frontend'),
      stdio: 'inherit',
      env: { ...env, NODE_ENV: 'production' },
    });
    execFileSync('go', ['build', '-o', longwatch, '.'], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, CGO_ENABLED: '0' },
    });
  }
  project.provide('longwatch', longwatch);
  return () => rmSync(dir, { recursive: true, force: true });
}
