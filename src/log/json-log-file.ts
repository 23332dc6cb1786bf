import { type JsonObject, stringifyJson } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { encodeTexts, type Many, type TextSegment } from './json-text.ts';
import type { StoredLogReader } from './log-reader.ts';
import { prettyJson } from './pretty-json.ts';
import { sampleText } from './sample-text.ts';

/** The order of keys matters to Inspect: a header-only read stops at `samples`. */
const TOP_KEYS = [
  'version',
  'status',
  'eval',
  'plan',
  'results',
  'stats',
  'error',
  'invalidated',
  'log_updates',
  'config_updates',
  'tags',
  'metadata',
];

/** Writes a whole log as one JSON object, indented, sample by sample. The file is synced and closed. */
export async function writeJsonLog(
  disk: Disk,
  path: string,
  reader: StoredLogReader,
): Promise<{ readonly sizeBytes: number }> {
  const file = await disk.open(path, 'create');
  try {
    let sizeBytes = 0;
    for await (const bytes of encodeTexts([logText(reader)])) {
      await file.write(bytes, sizeBytes);
      sizeBytes += bytes.length;
    }
    await file.sync();
    return { sizeBytes };
  } finally {
    await file.close();
  }
}

async function* logText(reader: StoredLogReader): AsyncGenerator<string> {
  const header: JsonObject = await reader.header();
  const keys = [...TOP_KEYS, ...Object.keys(header).filter((key) => !TOP_KEYS.includes(key))];
  yield '{';
  let separator = '\n';
  for (const key of keys) {
    const value = header[key];
    if (value === undefined) continue;
    yield `${separator}  ${stringifyJson(key)}: ${prettyJson(value, '  ')}`;
    separator = ',\n';
  }
  yield `${separator}  "samples": [`;
  separator = '\n    ';
  for (const { id, epoch } of await reader.samples()) {
    const parts = await reader.parts(id, epoch);
    if (!parts) continue;
    yield separator;
    yield* flatten(sampleText(parts));
    separator = ',\n    ';
  }
  yield '\n  ]';
  const reductions = await reader.reductions();
  if (reductions) yield `,\n  "reductions": ${prettyJson(reductions, '  ')}`;
  yield '\n}\n';
}

async function* flatten(segments: Iterable<TextSegment>): AsyncGenerator<string> {
  for (const segment of segments) {
    if (typeof segment === 'string') yield segment;
    else yield* segment as Many<string>;
  }
}
