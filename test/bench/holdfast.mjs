// What bin/main.js does in the published package: it is copied beside the build (published.ts) and run there.
import { enableCompileCache } from 'node:module';

enableCompileCache?.();
const { main } = await import('./dist/cli/main.js');
process.exitCode = await main(process.argv.slice(2));
