// What bin/main.js does in the published package; in a checkout that one prefers the TypeScript sources.
import { enableCompileCache } from 'node:module';

enableCompileCache?.();
const { main } = await import('../../dist/cli/main.js');
process.exitCode = await main(process.argv.slice(2));
