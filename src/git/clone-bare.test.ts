import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GIT_ENV, git, gitInput, initRepository } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { cloneBare } from './clone-bare.ts';

const dir = useTempDir();
const clone = (url: string, name = 'clone.git') =>
  cloneBare(
    { url, dir: join(dir.path, 'data', name), remote: 'origin', branch: 'holdfast/results' },
    { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV },
  );

const commit = (ref: string, path: string) =>
  `commit ${ref}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nM 100644 inline ${path}\ndata 3\nabc\n\n`;

test('only the branch of the results is taken', async () => {
  const remote = join(dir.path, 'remote');
  initRepository(remote, '--bare');
  gitInput(remote, commit('refs/heads/main', 'code') + commit('refs/heads/holdfast/results', 'row'));
  const { dir: made } = await clone(`file://${remote}`);
  expect(git(made, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/remotes/origin/holdfast/results',
  ]);
  expect(git(made, 'config', 'remote.origin.url')).toBe(`file://${remote}`);
  // A second time nothing is asked: the remote may be away by then.
  await clone('file:///nowhere');
});

test('a remote without results gets a clone that has none, of the same kind of ids', async () => {
  const kind = (place: string) => git(place, 'rev-parse', '--show-object-format');
  const empty = join(dir.path, 'empty');
  initRepository(empty, '--bare');
  expect(git((await clone(`file://${empty}`, 'empty.git')).dir, 'for-each-ref')).toBe('');
  const remote = join(dir.path, 'remote');
  initRepository(remote, '--bare', '--object-format=sha256');
  gitInput(remote, commit('refs/heads/main', 'code'));
  const made = await clone(`file://${remote}`);
  expect(kind(made.dir)).toBe('sha256');
  expect(git(made.dir, 'for-each-ref')).toBe('');
});

test('a remote that is none, is away, or wants a password is told apart; nothing is left, and no password is shown', async () => {
  await expect(clone(`file://${dir.path}/none`)).rejects.toMatchObject({ code: 'E_REMOTE_UNKNOWN' });
  await expect(clone('http://127.0.0.1:1/x.git')).rejects.toMatchObject({
    code: 'E_REMOTE_AWAY',
  });
  const server = createServer((_, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const url = (user: string) => `http://${user}127.0.0.1:${port}/x.git`;
    await expect(clone(url(''))).rejects.toMatchObject({ code: 'E_REMOTE_AUTH' });
    await expect(clone(url('me:hunter2@'))).rejects.toSatisfy(
      (error) =>
        error instanceof Error && !error.message.includes('hunter2') && error.message.includes('//…@'),
    );
  } finally {
    server.close();
  }
  expect(readdirSync(join(dir.path, 'data'))).toEqual([]);
});
