import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// The page is served from two roots, wails://wails/ and http://127.0.0.1, so
// every address in it is relative.
export default defineConfig({
  base: './',
  plugins: [tailwindcss(), svelte()],
  resolve: {
    alias: { $lib: at('./src/lib'), $features: at('./src/features') },
    // Component tests mount in jsdom, so they need Svelte's browser half.
    conditions: process.env.VITEST ? ['browser'] : undefined,
  },
  build: {
    target: ['es2022', 'safari16.4'],
    outDir: 'dist',
    emptyOutDir: true,
    // The policy of the page forbids data: scripts; small files stay files.
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/test-setup.ts'],
    restoreMocks: true,
    // Two cores are shared by whatever else is built and tested.
    testTimeout: 30_000,
  },
});
