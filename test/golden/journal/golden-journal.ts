import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { directoryBucket } from '../../../src/bucket/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import {
  importWriter,
  type JournalReader,
  listSegmentedRuns,
  listWriters,
  readJournal,
} from '../../../src/journal/index.ts';

/** Everything that a journal gives, as plain data: what `expected.json` beside each golden journal holds. */
export function describeJournal(reader: JournalReader): unknown {
  const { process: _, startedAt: __, ...writer } = reader.writer();
  const attempts = [...reader.outline()].map(({ n, ...outline }) => ({
    n,
    ...outline,
    answers: [...reader.answers(n)],
    output: reader.output(n) ?? null,
    events: [...reader.events(n)].map((json) => reader.expandEvent(n, json)),
    messages: [...reader.pool(n, 'message')],
    attachments: [...reader.attachments(n)],
    result: reader.result(n) ?? null,
    summary: reader.summary(n) ?? null,
  }));
  const damage = reader.damage();
  return {
    run: reader.run(),
    writer,
    ending: reader.ending() ?? null,
    spentUsd: reader.spentUsd(),
    attempts,
    reused: [...reader.reused()].map((row) => ({ ...row, summary: reader.reusedSummary(row.n) })),
    damagedAttempts: [...damage.attempts.keys()].sort((a, b) => a - b),
    lost: damage.lost ?? null,
    isDamaged: damage.sentences.length > 0,
  };
}

/** What comes of the segments of one writer below `dir`: those that were used, how many problems are named, and the journal. */
export async function describeSegments(dir: string): Promise<unknown> {
  const bucket = directoryBucket(nodeDisk, join(dir, 'bucket'));
  const [run = ''] = await listSegmentedRuns(bucket, '');
  const [writer = ''] = await listWriters(bucket, '', run);
  const runDir = join(dir, 'home');
  await mkdir(runDir);
  const { keys, isComplete, problems } = await importWriter({ disk: nodeDisk, bucket, prefix: '', run, writer, runDir });
  const reader = readJournal(join(runDir, writer, 'journal.db'));
  try {
    return { keys, isComplete, problems: problems.length, journal: describeJournal(reader) };
  } finally {
    reader.close();
  }
}

/** Unpacks a folder of `*.br` files. */
export async function unpack(from: string, to: string): Promise<void> {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.br')) continue;
    const path = join(to, name.slice(0, -'.br'.length));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, brotliDecompressSync(readFileSync(join(from, name))));
  }
}

/** JSON has no word for NaN. */
export function toGoldenText(value: unknown): string {
  const text = JSON.stringify(value, (_, item) => (Number.isNaN(item) ? 'NaN' : item), 1);
  return `${text}\n`;
}
