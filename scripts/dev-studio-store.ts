/** Makes the store that `npm run dev:studio` shows: node scripts/dev-studio-store.ts <folder> */
import { renameSync, rmSync } from 'node:fs';
import { makeStudioStore } from '../test/sim/studio/store.ts';

const ROUNDS = 25;

const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error('Name the folder');
// Whole or not there: whoever stops it half-way gets another.
const made = `${dir}.making`;
rmSync(made, { recursive: true, force: true });
const { runs } = await makeStudioStore(made, { rounds: ROUNDS, endMs: Date.now() });
renameSync(made, dir);
console.log(`${runs.length} runs in ${dir}`);
