import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'studio/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real logs are not part of the repository: `npm run test:fixtures` reads them.
    exclude: ['test/bench/**', 'test/fixtures/**', 'node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a page shows after a key may take a while on a machine that is busy.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // One more than a small machine has cores: many tests wait, for leases that run out or pages that settle.
    maxWorkers: 3,
  },
});
