import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFaultProxy } from '../sim/s3/fault-proxy.ts';
import { rgw } from '../sim/s3/rgw.ts';
import { BUCKET, startWithBucket } from '../sim/s3/s3-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, median, rounded } from './bench.ts';
import { holdfast } from './published.ts';

const SAMPLES = 2_000;
const TRIES = 7;
const RATIO_MAX = 1.3;

/** What it costs a run to have its segments in S3: the same eval in turn with a bucket there and one that is a directory. */
export const s3Segments: Bench = {
  name: 's3-segments',
  about: `${SAMPLES} samples that answer at once, segments to S3: time over that with a directory bucket`,
  async run({ scale }) {
    const obstacle = await rgw.whyNot();
    if (obstacle !== undefined) throw new Error(`This needs Ceph's gateway: ${obstacle}.`);
    const samples = Math.max(100, Math.round(SAMPLES * scale));
    await using dir = await makeTempDir();
    const evalFile = join(dir.path, 'at-once.eval.js');
    writeFileSync(evalFile, evalSource(samples));
    await using _started = await startWithBucket(rgw);
    const run = (name: string, segments: readonly string[], env = {}) =>
      holdfast(['run', evalFile, '--log-dir', join(dir.path, name), '--quiet', ...segments], env);
    const there = (name: string) => ['--segments', `s3://${BUCKET}/${name}`];
    // Servers make what they need when it is first asked for.
    await run('warm', there('warm'));
    const [none, directory, s3]: [number[], number[], number[]] = [[], [], []];
    for (let n = 0; n < TRIES; n++) {
      none.push((await run(`none-${n}`, [])).ms);
      directory.push((await run(`here-${n}`, ['--segments', join(dir.path, `bucket-${n}`)])).ms);
      s3.push((await run(`there-${n}`, there(`n${n}`))).ms);
    }
    const requests = await requestsOf((env) => run('counted', there('counted'), env));
    const [noneMs, directoryMs, s3Ms] = [median(none), median(directory), median(s3)];
    return [
      {
        what: 'time of a run with its segments in S3 over one with a directory bucket',
        measured: s3Ms / directoryMs,
        atMost: RATIO_MAX,
        figures: { samples, noneMs, directoryMs, s3Ms, none, directory, s3, requests },
        line: `medians of ${TRIES}: ${rounded(noneMs, 0)} ms without, ${rounded(directoryMs, 0)} ms with a directory, ${rounded(s3Ms, 0)} ms with S3 (${Object.values(requests).reduce((sum, one) => sum + one, 0)} requests)`,
      },
    ];
  },
};

/** How many requests of each kind one run makes. */
async function requestsOf(run: (env: object) => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  await using proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_S3 ?? '');
  await run({ AWS_ENDPOINT_URL_S3: proxy.endpoint });
  const counts: Record<string, number> = {};
  for (const { method, path } of proxy.seen) {
    const kind = path.includes('list-type') ? 'list' : method === 'POST' ? 'delete' : method.toLowerCase();
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function evalSource(samples: number): string {
  return `import { defineEval, exact } from 'holdfast';
export default defineEval({
  name: 'at-once',
  data: Array.from({ length: ${samples} }, (_, n) => ({ id: n + 1, input: 'Say ' + n, target: String(n) })),
  target: async ({ input }) => input.slice(4),
  scorers: [exact()],
});
`;
}
