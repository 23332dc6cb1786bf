import { defineConfig } from 'vitest/config';

/** `npm run test:fixtures`: real logs, and whatever is held against Inspect's own schema. */
export default defineConfig({
  test: {
    include: [
      'test/fixtures/**/*.test.ts',
      'src/targets/{generate,recorded-model,http-target,command-target}.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
