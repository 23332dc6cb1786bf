import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'studio/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real logs are not part of the repository: `npm run test:fixtures` reads them.
    exclude: ['test/bench/**', 'test/fixtures/**', 'node_modules/**'],
    // Only what hangs meets these: a machine that is busy may be many times slower than the one that a test was written on.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What a page shows after a key may take a while on a machine that is busy.
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // One more than a small machine has cores: many tests wait, for leases that run out or pages that settle.
    maxWorkers: 3,
  },
});
