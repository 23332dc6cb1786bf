import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../../test/sim/shared-fixture.ts';
import { makeTempDir } from '../../../test/sim/temp-dir.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { type Bucket, bucketErrors } from '../../bucket/index.ts';
import { SharedRun, sampleJob } from '../../cluster/index.ts';
import { EXIT } from '../exit-code.ts';
import { bringHomeAll } from './bring-home-all.ts';

const RECORD = { identity: { eval: 'e', targetName: 't' } };

/** Somebody waits for a run of one sample, to fetch it, and is let into nothing below a folder once it is denied. */
async function waitedFor(folder: string) {
  const dir = await makeTempDir();
  const fixture = sharedFixture({ samples: 1, record: Object.assign(Object.create(null), RECORD) });
  await fixture.submit();
  let isDenied = false;
  const bucket: Bucket = withMethods<Bucket>(fixture.bucket, {
    async *list(of, options) {
      if (isDenied && of.includes(folder)) throw bucketErrors.denied('memory', new Error(of));
      yield* fixture.bucket.list(of, options);
    },
  });
  const place = { bucket, prefix: '', url: 'memory', store: bucket };
  const shared = await SharedRun.open(place, RUN);
  if (!shared) throw new Error('nothing was submitted');
  const said: string[] = [];
  const bad = (text: string) => text;
  const terminal = {
    ...{ cwd: dir.path, note: (text: string) => said.push(text), line: () => undefined },
    ...{ noteStyle: { bad, dim: bad, bold: bad }, env: {} },
  };
  const never = new AbortController().signal;
  const flags = { logDir: 'logs', json: true, quiet: true };
  // Of a call only what is asked of it here.
  const call = Object.assign(Object.create(null), { flags, terminal });
  return {
    said,
    deny: () => {
      isDenied = true;
    },
    async complete() {
      const taken = await fixture.book.take(sampleJob(0), fixture.taker('a'));
      if (taken.kind === 'taken') await fixture.book.end(taken.lease, { status: 'completed', by: 'a' });
    },
    bringHome: () =>
      bringHomeAll([shared], { call, place, queue: undefined, signals: { drain: never, abort: never } }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test('a run that nobody is let to see is unknown, and leaves its workers alone', async () => {
  await using run = await waitedFor('/leases');
  run.deny();
  const { exitCode, ends, runs } = await run.bringHome();
  expect({ exitCode, ends }).toEqual({ exitCode: EXIT.unknown, ends: ['unknown'] });
  expect(runs).toMatchObject([{ exitCode: EXIT.unknown, error: { code: 'E_BUCKET_DENIED' } }]);
});

test('one that is complete and cannot be fetched is not told from one that is short of something, but for its end', async () => {
  await using run = await waitedFor('/segments');
  await run.complete();
  run.deny();
  const { exitCode, ends, runs } = await run.bringHome();
  expect({ exitCode, ends }).toEqual({ exitCode: EXIT.unknown, ends: ['complete'] });
  expect(runs).toMatchObject([{ exitCode: EXIT.unknown, error: { code: 'E_BUCKET_DENIED' } }]);
});
