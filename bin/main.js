// The published package runs what was built; a checkout runs its TypeScript as it is.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

enableCompileCache?.();
const built = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import(existsSync(source) ? source.href : built.href);
process.exitCode = await main(process.argv.slice(2));
