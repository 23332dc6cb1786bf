export { readEnvFile } from './env-file.ts';
export { LaunchKeys } from './launch-keys.ts';
export type { LaunchPorts } from './launch-ports.ts';
export { checkLaunch, type LaunchRequest, startWorkers, withWorkers } from './start-workers.ts';
export { hasLaunched, launchedFor, type Stopped, stopLaunched, stopWorkers } from './stop-workers.ts';
export { watchForStop } from './watch-for-stop.ts';
