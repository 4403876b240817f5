import { defineConfig } from 'vitest/config';

// The real program and a real browser, one file after the other: they share two
// cores and each waits on conditions, not on time.
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    globalSetup: ['e2e/build.ts'],
    environment: 'node',
    fileParallelism: false,
    // A machine with much else to do may miss a deadline once.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
