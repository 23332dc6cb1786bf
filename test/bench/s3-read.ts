import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openS3Bucket } from '../../src/bucket/s3/s3-bucket.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { createLogFile, summarize } from '../../src/log/index.ts';
import { fixtureFields, fixtureHeader } from '../sim/log-fixture.ts';
import { type FaultProxy, startFaultProxy } from '../sim/s3/fault-proxy.ts';
import { rgw } from '../sim/s3/rgw.ts';
import { BUCKET, startWithBucket } from '../sim/s3/s3-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, MB, rounded } from './bench.ts';
import { holdfast } from './published.ts';

const SAMPLES = 2_000;
const SAMPLE_BYTES = 512 * 1024;
const SENT_MB_MAX = 3;

/** How much of a large log comes over the network when only a little of it is wanted; counted by a proxy. */
export const s3Read: Bench = {
  name: 's3-read',
  about: 'header and one sample of a log of 1 GB in S3: bytes that come over the network',
  async run({ scale }) {
    const obstacle = await rgw.whyNot();
    if (obstacle !== undefined) throw new Error(`This needs Ceph's gateway: ${obstacle}.`);
    const samples = Math.max(10, Math.round(SAMPLES * scale));
    await using dir = await makeTempDir();
    const path = join(dir.path, 'large.eval');
    await writeLog(path, samples);
    const logBytes = statSync(path).size;
    await using started = await startWithBucket(rgw);
    const url = `s3://${BUCKET}/logs`;
    await (await openS3Bucket(url, { disk: nodeDisk })).createFromFile('large.eval', path);
    rmSync(path);
    await using proxy = await startFaultProxy(started.server.endpoint);
    const dump = (...what: string[]) => count(proxy, ['log', 'dump', `${url}/large.eval`, ...what]);
    const header = await dump('--header');
    const sample = await dump('--sample', `s${samples >> 1}`);
    const sentMb = (header.bytes + sample.bytes) / MB;
    const told = ({ bytes, requests, ms }: Counted) =>
      `${rounded(bytes / 1024, 0)} KB in ${requests} requests (${rounded(ms, 0)} ms)`;
    return [
      {
        what: 'MB transferred for the header and one sample of a log in S3',
        measured: sentMb,
        atMost: SENT_MB_MAX,
        figures: { samples, sampleBytes: SAMPLE_BYTES, logBytes, header, sample },
        line: `a log of ${rounded(logBytes / MB, 0)} MB: its header ${told(header)}, one sample ${told(sample)}`,
      },
    ];
  },
};

interface Counted {
  readonly bytes: number;
  readonly requests: number;
  readonly ms: number;
}

async function count(proxy: FaultProxy, args: readonly string[]): Promise<Counted> {
  const before = { bytes: proxy.sentBytes, requests: proxy.seen.length };
  const { ms } = await holdfast(args, { AWS_ENDPOINT_URL_S3: proxy.endpoint });
  return { bytes: proxy.sentBytes - before.bytes, requests: proxy.seen.length - before.requests, ms };
}

/** Of texts that cannot be made smaller: the log is as large as it says. */
async function writeLog(path: string, samples: number): Promise<void> {
  const header = fixtureHeader();
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart({ version: 2, eval: header.eval, plan: header.plan });
  const fields = (n: number, input: string) => fixtureFields(`s${n}`, { input });
  for (let n = 0; n < samples; n++) {
    const noise = randomBytes(SAMPLE_BYTES).toString('base64');
    await file.writeSample({
      fields: fields(n, noise),
      events: [],
      attachments: [],
      messages: [],
      calls: [],
    });
  }
  await file.writeSummaries(Array.from({ length: samples }, (_, n) => summarize(fields(n, 'noise'))));
  await file.writeReductions([]);
  await file.writeHeader(header);
  await file.finish();
}
