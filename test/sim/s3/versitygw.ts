/** The Versity gateway: a real server that speaks S3 over a plain directory. `npm run test:s3` builds it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeTempDir } from '../temp-dir.ts';
import { freePorts } from './rgw.ts';
import type { S3Program, S3Server } from './s3-server.ts';

export const versitygw: S3Program = { name: 'versitygw', whyNot: whyNoVersitygw, start: startVersitygw };

const KEYS = { accessKey: 'testkey', secretKey: 'testsecret' };
const run = promisify(execFile);
const commandOf = () => process.env.HOLDFAST_VERSITYGW || 'versitygw';

async function whyNoVersitygw(): Promise<string | undefined> {
  return run(commandOf(), ['--version']).then(
    () => undefined,
    () => `${commandOf()} is not installed`,
  );
}

/** One process on its directory: it checks conditions under a lock of its own memory. */
async function startVersitygw(): Promise<S3Server> {
  const dir = await makeTempDir();
  const [port] = await freePorts(1);
  const store = join(dir.path, 'store');
  mkdirSync(store);
  const address = `127.0.0.1:${port}`;
  const access = ['--access', KEYS.accessKey, '--secret', KEYS.secretKey];
  const args = [...access, '--port', address, '-q', '--keep-alive', 'posix', store];
  const child = spawn(commandOf(), args, { stdio: 'ignore' });
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    await dir[Symbol.asyncDispose]();
  };
  const endpoint = `http://${address}`;
  for (let tries = 0; tries < 100; tries++) {
    const isThere = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (isThere) return { endpoint, ...KEYS, [Symbol.asyncDispose]: stop };
    await sleep(100);
  }
  await stop();
  throw new Error('versitygw does not answer');
}
