// `npm run check`: the whole gate. Cheap steps come first; all are run, and the last word is vitest's own.
import { say, tryRun } from './set-up.mjs';

const STEPS = [
  ['Rules of the house', 'vitest', ['run', 'test/tidy']],
  ['Types', 'tsc', ['--project', '.']],
  ['Types of the Studio', 'tsc', ['--project', 'studio']],
  ['Lint and format', 'biome', ['check', '--error-on-warnings', '.']],
  ['Tests', 'vitest', ['run']],
];

const failed = [];
for (const [name, command, args] of STEPS) {
  say(name);
  if (tryRun(command, args) !== 0) failed.push(name);
}
if (failed.length > 0) {
  say(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
