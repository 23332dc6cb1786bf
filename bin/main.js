// The published package runs what was built; a checkout runs its TypeScript as it is.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

enableCompileCache?.();
const isSource = existsSync(new URL('../src/cli/main.ts', import.meta.url));
const load = (name) => import(isSource ? `../src/cli/${name}.ts` : `../dist/cli/${name}.js`);
// What is loaded next takes a while, and whoever presses Ctrl-C meanwhile is heard.
const { guardSignals } = await load('signals');
guardSignals(process.argv.slice(2));
const { main } = await load('main');
process.exitCode = await main(process.argv.slice(2));
