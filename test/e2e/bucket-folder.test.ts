/** A bucket that is a folder which is not there, or cannot be written: said in one sentence, and nothing is made. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, jsonOf } from './holdfast.ts';
import { sharedProject } from './shared-project.ts';

const redis = useRedis();
const QUEUE = 'redis://127.0.0.1:1';

const COMMANDS: readonly (readonly string[])[] = [
  ['worker', '--queue', QUEUE],
  ['runs', 'list'],
  ['runs', 'status', 'x'],
  ['runs', 'wait', 'x'],
  ['runs', 'fetch', 'x'],
  ['runs', 'logs', 'x'],
  ['runs', 'resume', 'x', '--queue', QUEUE],
  ['runs', 'cancel', 'x'],
  ['runs', 'gc', '--older-than', '30d'],
  ['launch', 'stop', 'x'],
  ['studio'],
];

test.each(COMMANDS)(
  '[BUCKET-11] holdfast %s … : a folder that is not there is named, and not made',
  async (...words) => {
    await using dir = await makeTempDir();
    const ended = await holdfast(dir.path, [...words, '--bucket', 'share/none', '--json']);
    expect(jsonOf(ended)).toMatchObject({
      ...{ exitCode: 2, error: { code: 'E_BUCKET_NONE' } },
    });
    expect(jsonOf(ended).error.message).toContain(join(dir.path, 'share/none'));
    expect(readdirSync(dir.path)).toEqual([]);
  },
);

const canMount = process.getuid?.() === 0 && process.platform === 'linux' && mountWorks();

function mountWorks(): boolean {
  const dir = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir]).status === 0;
  if (isMounted) spawnSync('umount', [dir]);
  return isMounted;
}

describe.skipIf(!canMount || redisObstacle !== undefined)(
  onRedis('a folder that cannot be written (needs to mount a tmpfs)'),
  () => {
    test.each([['submit', 'shared.eval.ts'], ['worker']])(
      'holdfast %s ends with 2 and says why',
      async (...words) => {
        await using project = await sharedProject({ samples: 1, queue: redis.url() });
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', project.bucket]);
        try {
          const ended = await project.holdfast([...words, '--json']);
          const code = words[0] === 'submit' ? 'E_SHARED_BUCKET' : 'E_BUCKET_DENIED';
          expect(jsonOf(ended)).toMatchObject({
            ...{ exitCode: 2, error: { code } },
          });
          expect(jsonOf(ended).error.message).toContain('read-only');
        } finally {
          execFileSync('umount', [project.bucket]);
        }
      },
    );
  },
);
