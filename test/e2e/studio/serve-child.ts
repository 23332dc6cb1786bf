/** Serves the Studio of a folder of logs until it is killed; says its address on the first line. */
import process from 'node:process';
import { serveTestStudio } from './served.ts';

const [, , logs = '', port = '0'] = process.argv;
const studio = await serveTestStudio({ places: [], logDirs: [logs], port: Number(port) });
process.stdout.write(`${studio.url}\n`);
process.on('SIGTERM', () => process.exit(0));
