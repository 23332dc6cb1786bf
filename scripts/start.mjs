// `npm start`: installs, builds, and runs the main job on embedded defaults (see `holdfast demo --help`).
import { ensureInstalled, run, say, tryRun } from './set-up.mjs';

ensureInstalled();
say('Building');
run('node', ['scripts/build.mjs']);
say('holdfast demo');
process.exitCode = tryRun('node', ['bin/holdfast.js', 'demo', ...process.argv.slice(2)]);
