import { type ChildProcess, spawn } from 'node:child_process';

/** Nothing that a test started outlives it, also when it is killed: that closes a pipe, and whoever reads it ends the process, a frozen one too. */
export function endWithUs(started: ChildProcess): void {
  const watch = spawn('sh', ['-c', `cat; kill -9 ${started.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  started.once('exit', () => watch.kill('SIGKILL'));
}
