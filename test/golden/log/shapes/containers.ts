/** The same small run in every container that a log ever came in [LOG-20]. */
import type { Json, JsonObject } from '../../../../src/base/index.ts';
import { makeZip, type ZipMember, type ZipOptions } from './make-zip.ts';
import { HEADER, plainSample, type Reads, type Shape, SPEC, START, summaryOf, text } from './shape.ts';

const nile = plainSample('nile');
const oder = plainSample('oder', 'I');
const reductions = [{ scorer: 'match', reducer: 'mean', samples: [{ value: 1, sample_id: 'nile' }] }];
const wholeLog: readonly ZipMember[] = [
  { name: '_journal/start.json', text: text(START) },
  { name: 'samples/nile_epoch_1.json', text: text(nile) },
  { name: 'samples/oder_epoch_1.json', text: text(oder) },
  { name: '_journal/summaries/1.json', text: text([summaryOf(nile), summaryOf(oder)]) },
  { name: 'summaries.json', text: text([summaryOf(nile), summaryOf(oder)]) },
  { name: 'reductions.json', text: text(reductions) },
  { name: 'header.json', text: text(HEADER) },
];

function reads(says: string, more: Partial<Reads> = {}): Reads {
  return {
    says,
    header: { ...HEADER, tags: [], metadata: {}, invalidated: false },
    summaries: [{ id: 'nile', scores: { match: { value: 'C' } } }, { id: 'oder', scores: { match: { value: 'I' } } }],
    samples: [withoutAttachments(nile), withoutAttachments(oder)],
    reductions,
    ...more,
  };
}

function withoutAttachments<T extends JsonObject>({ attachments: _, ...sample }: T) {
  return sample as Omit<T, 'attachments'>;
}

export const CONTAINERS: readonly Shape[] = [
  zipShape('stored', 'Nothing is compressed.', wholeLog),
  zipShape('deflate', 'Deflate, as all logs were until 2026.', each({ method: 'deflate' })),
  zipShape('zstd-frames', 'Each member is four zstd frames, one behind the other.', each({ method: 'zstd', frames: 4 })),
  zipShape('mixed-methods', 'Each member has a method of its own.', mixed()),
  zipShape('wide-local', 'Streamed members: 64-bit sizes in the local header, plain ones in the directory.', each({ method: 'deflate', wide: 'local' })),
  zipShape('wide-all', 'A ZIP of 64 bits throughout, although it is small.', each({ method: 'zstd', wide: 'all' }), { wideEnd: true }),
  zipShape('descriptors', 'Sizes stand behind the data, as a writer leaves them that cannot go back.', each({ method: 'deflate', hasDescriptor: true })),
  zipShape('comment', 'The archive has a comment behind its end record.', wholeLog, { comment: 'copied from a backup' }),
  journalOnly(),
  batchesOnly(),
  duplicates(),
  oddIds(),
  wholeAsJson(),
  jsonWithoutSamples(),
];

function each(more: Partial<ZipMember>): ZipMember[] {
  return wholeLog.map((member) => ({ ...member, ...more }));
}

function mixed(): ZipMember[] {
  const methods = ['stored', 'deflate', 'zstd'] as const;
  return wholeLog.map((member, index) => ({ ...member, method: methods[index % 3] ?? 'stored' }));
}

function zipShape(name: string, says: string, members: readonly ZipMember[], options?: ZipOptions): Shape {
  return { file: `${name}.eval`, clause: 'LOG-20', bytes: makeZip(members, options), reads: reads(says) };
}

/** What a crash left: batches of summaries that are numbered as numbers, with one sample logged twice. */
function journalOnly(): Shape {
  const again = { ...oder, scores: { match: { value: 'C', answer: '6650 km' } } };
  const update = (value: number): Json => ({ changes: [{ config: 'eval', name: 'max_samples', value }], scope: 'task', provenance: { author: 'ops' } });
  const members: ZipMember[] = [
    { name: '_journal/start.json', text: text(START) },
    { name: 'samples/oder_epoch_1.json', text: text(oder) },
    { name: '_journal/summaries/2.json', text: text([summaryOf(oder)]) },
    { name: '_journal/summaries/10.json', text: text([summaryOf(again)]) },
    { name: '_journal/summaries/9.json', text: text([summaryOf(nile)]) },
    { name: '_journal/config_updates/10.json', text: text(update(3)) },
    { name: '_journal/config_updates/9.json', text: text(update(2)) },
    { name: 'samples/oder_epoch_1.json', text: text(again) },
    { name: 'samples/nile_epoch_1.json', text: text(nile) },
  ];
  const { results: _1, stats: _2, ...begun } = HEADER;
  const { reductions: _3, ...known } = reads('A run that was never finished: no header, no list of summaries, a sample logged twice.');
  return {
    file: 'journal-only.eval',
    clause: 'LOG-20',
    bytes: makeZip(members),
    reads: {
      ...known,
      header: { ...begun, status: 'started', config_updates: [update(2), update(3)] },
      summaries: [{ id: 'nile' }, { id: 'oder', scores: { match: { value: 'C' } } }],
      samples: [withoutAttachments(nile), withoutAttachments(again)],
    },
  };
}

/** The list of summaries is missing, though the run was finished. */
function batchesOnly(): Shape {
  const members = wholeLog.filter(({ name }) => name !== 'summaries.json');
  return zipShape('batches-only', 'Finished, but its summaries are in batches only.', members);
}

function duplicates(): Shape {
  const stale = { ...nile, scores: { match: { value: 'I', answer: 'none' } }, events: [] };
  const early: ZipMember[] = [
    { name: 'header.json', text: text({ ...HEADER, status: 'error' }) },
    { name: 'samples/nile_epoch_1.json', text: text(stale) },
  ];
  return zipShape('duplicates', 'Members that were written twice: the later one counts.', [...early, ...wholeLog]);
}

/** Ids are in member names as they are, whatever they hold; 7 and "7" are one sample. */
function oddIds(): Shape {
  const ids = [7, -3, 0, 'a/b/../c', 'ü ß 😀', 'x_epoch_2', '../../etc', '007', 'line\nbreak', '.json'];
  const samples = [...ids.map((id) => plainSample(id)), plainSample('x_epoch_2', 'C', 2)];
  const members: ZipMember[] = [
    { name: '_journal/start.json', text: text(START) },
    ...samples.map((sample) => ({ name: `samples/${sample.id}_epoch_${sample.epoch}.json`, text: text(sample) })),
    { name: 'summaries.json', text: text(samples.map((sample) => summaryOf(sample))) },
    { name: 'header.json', text: text({ ...HEADER, eval: { ...SPEC, dataset: { samples: ids.length, sample_ids: ids } } }) },
  ];
  const { reductions: _, ...known } = reads('Ids that look like paths, like names of members, like numbers.');
  return {
    file: 'odd-ids.eval',
    clause: 'LOG-20',
    bytes: makeZip(members),
    reads: {
      ...known,
      header: { eval: { dataset: { samples: ids.length, sample_ids: ids } } },
      summaries: samples.map(({ id, epoch }) => ({ id, epoch })),
      samples: samples.map(withoutAttachments),
    },
  };
}

/** Indented by two, in the order of Inspect's model, with what JSON itself cannot say. */
function wholeAsJson(): Shape {
  const unscored = JSON.stringify({ ...HEADER, samples: [nile, { ...oder, metadata: { big: 'BIG', nan: 'NAN', low: 'LOW' } }], reductions }, null, 2);
  const bytes = unscored.replace('"BIG"', '12345678901234567890').replace('"NAN"', 'NaN').replace('"LOW"', '-Infinity');
  const metadata = { big: 12345678901234567890n, nan: Number.NaN, low: Number.NEGATIVE_INFINITY };
  const known = reads('One JSON document; numbers beyond what JSON can say.');
  return {
    file: '2024-10-07T09-30-00+00-00_rivers_whole.json',
    clause: 'LOG-20',
    bytes: Buffer.from(bytes),
    reads: { ...known, samples: [withoutAttachments(nile), { ...withoutAttachments(oder), metadata }] },
  };
}

function jsonWithoutSamples(): Shape {
  const { reductions: _, ...known } = reads('A run that was cancelled before its first sample ended.');
  const { results: _1, ...header } = HEADER;
  return {
    file: '2024-10-07T09-30-00+00-00_rivers_empty.json',
    clause: 'LOG-20',
    bytes: Buffer.from(text({ ...header, status: 'cancelled', results: null, error: null })),
    reads: { ...known, header: { status: 'cancelled', eval: SPEC }, summaries: [], samples: [] },
  };
}
