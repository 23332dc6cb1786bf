import {
  ActionableError,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  stringifyJson,
  toJson,
} from '../base/index.ts';
import { type Disk, replaceFile } from '../disk/index.ts';
import type { OutlineStore } from './outline-store.ts';
import { readOutline, readWrittenEvals } from './stored-outline.ts';

/** Another way to read code makes all that was kept worthless. */
const VERSION = 4;
/** About 2 KB each. */
const KEPT_MAX = 2_000;

export interface OutlineFile extends OutlineStore {
  /** Writes what is new. It is a cache: whoever writes last wins, and nobody depends on it. */
  save(): Promise<void>;
}

/** Outlines in a file, so that the next run parses only what has changed. One that cannot be read is begun anew. */
export async function openOutlineFile(disk: Disk, path: string): Promise<OutlineFile> {
  const kept = await readKept(disk, path);
  /** In the order of use: what has not been used for long goes first. */
  const used = new Map<string, Json | undefined>();
  let isChanged = false;
  const recall = <T>(key: string, read: (json: Json | undefined) => T | undefined): T | undefined => {
    const json = used.get(key) ?? kept[key];
    const value = read(json);
    if (value !== undefined) used.set(key, json);
    return value;
  };
  const keep = (key: string, value: object) => {
    if (used.has(key)) return;
    used.set(key, toJson(value));
    isChanged = true;
  };
  return {
    outline: (key) => recall(`module ${key}`, readOutline),
    keepOutline: (key, outline) => keep(`module ${key}`, outline),
    evals: (key) => recall(`evals ${key}`, readWrittenEvals),
    keepEvals: (key, evals) => keep(`evals ${key}`, evals),
    async save() {
      if (!isChanged) return;
      const entries = Object.entries({ ...Object.fromEntries(used), ...withoutUsed(kept, used) });
      const text = stringifyJson({
        version: VERSION,
        entries: Object.fromEntries(entries.slice(0, KEPT_MAX)),
      });
      try {
        await replaceFile(disk, path, Buffer.from(text));
        isChanged = false;
      } catch (error) {
        // On a disk that is full or fails nothing is lost: the code is parsed again next time.
        if (!(error instanceof ActionableError)) throw error;
      }
    },
  };
}

function withoutUsed(kept: JsonObject, used: ReadonlyMap<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !used.has(key)));
}

async function readKept(disk: Disk, path: string): Promise<JsonObject> {
  try {
    const bytes = await disk.read(path);
    const json = bytes && parseJson(Buffer.from(bytes).toString('utf8'));
    const isOurs = isJsonObject(json) && json.version === VERSION && isJsonObject(json.entries);
    return isOurs ? (json.entries as JsonObject) : {};
  } catch {
    // It is a cache: what cannot be read or parsed is made again, and whoever writes there says what is wrong.
    return {};
  }
}
