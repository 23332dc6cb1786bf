/**
 * A process that makes calls as the limits in Redis allow: `node limiter-child.ts <JSON>`. A call is a connection to a witness, which sees how many
 * there are at a time; it costs a cent, and is in a segment of the bucket before the pass is given back. It ends when the money is gone.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { openBucket } from '../../src/bucket/index.ts';
import { KnownRuns, openLimiter } from '../../src/cluster/index.ts';
import { spentOnRun } from '../../src/cluster/spent-on-run.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { encodeSegment, SEGMENT_FORMAT, segmentKey } from '../../src/journal/segment.ts';
import type { CallLimit } from '../../src/targets/index.ts';

export interface LimiterChildArgs {
  readonly url: string;
  readonly writer: string;
  readonly witness: number;
  readonly bucket: string;
  readonly limit: CallLimit;
  readonly budgetUsd?: number;
  readonly callMs: number;
  readonly slots: number;
}

const RUN = 'run';
const args = JSON.parse(process.argv[2] ?? '') as LimiterChildArgs;
const { url, writer, limit, budgetUsd, slots, callMs } = args;
const place = { bucket: await openBucket(args.bucket, { disk: nodeDisk }), prefix: '' };
const runs = new KnownRuns(place);
const say = (text: string) => process.stdout.write(`${text}\n`);
const limiter = await openLimiter(url, {
  ...{ clock: systemClock, random: systemRandom },
  onProblem: (error) => say(`problem ${error}`),
});
const { signal } = new AbortController();
let [usd, seq] = [0, 0];

async function call(): Promise<void> {
  const socket = connect(args.witness, '127.0.0.1');
  await once(socket, 'connect');
  await sleep(callMs);
  const closed = once(socket, 'close');
  socket.end();
  await closed;
}

async function ship(): Promise<void> {
  const key = { run: RUN, chain: writer, seq: ++seq };
  const header = {
    format: SEGMENT_FORMAT,
    version: 2,
    writer,
    previous: null,
    from: {},
    cursors: {},
  } as const;
  await place.bucket.create(segmentKey('', key), encodeSegment({ ...header, ...key, usd, last: false }, []));
}

async function slot(): Promise<void> {
  for (;;) {
    const entered = await limiter.enter(
      {
        ...{ run: RUN, writer, model: 'a/model', limit, budgetUsd, spentUsd: () => usd },
        rebuild: (stop) => spentOnRun(place, { run: RUN, runs, signal: stop }),
      },
      signal,
    );
    if (entered.kind === 'spent') return;
    await call();
    usd += 0.01;
    await ship();
    entered.leave();
  }
}

await Promise.all(Array.from({ length: slots }, slot));
say(`spent ${usd}`);
limiter.close();
