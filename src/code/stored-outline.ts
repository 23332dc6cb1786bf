import { type Digest, isJsonArray, isJsonObject, type Json } from '../base/index.ts';
import type { EvalOutline } from './code-graph.ts';
import type { Deeds } from './deeds.ts';
import type { ExportedName, ImportedName, ModuleOutline, ModulePart } from './module-outline.ts';
import type { WrittenEvals } from './outline-store.ts';

/** Readers of what was kept of code; undefined for what is not whole: then the code is parsed again. */

export function readOutline(json: Json | undefined): ModuleOutline | undefined {
  if (!isJsonObject(json)) return undefined;
  const parts = listOf(json.parts, readPart);
  const imports = recordOf(json.imports, readImported);
  const exports = recordOf(json.exports, readExported);
  const [passedOn, loads] = [listOf(json.passedOn, readText), listOf(json.loads, readText)];
  return parts && imports && exports && passedOn && loads
    ? { parts, imports, exports, passedOn, loads }
    : undefined;
}

export function readWrittenEvals(json: Json | undefined): WrittenEvals | undefined {
  if (!isJsonObject(json) || typeof json.isWritten !== 'boolean') return undefined;
  const evals = listOf(json.evals, readEval);
  return evals && { isWritten: json.isWritten, evals };
}

function readEval(json: Json): EvalOutline | undefined {
  if (!isJsonObject(json)) return undefined;
  const [target, scoring] = [readPart(json.target ?? null), readPart(json.scoring ?? null)];
  const rows = readPart(json.rows ?? null);
  const [loading, names] = [listOf(json.loading, readPart), listOf(json.names, readText)];
  return target && scoring && rows && loading && names && { target, scoring, rows, loading, names };
}

function readPart(json: Json): ModulePart | undefined {
  if (!isJsonObject(json) || typeof json.digest !== 'string') return undefined;
  const [declares, uses] = [listOf(json.declares, readText), listOf(json.uses, readText)];
  const [assigns, later] = [listOf(json.assigns, readText), listOf(json.later, readText)];
  const [loading, calling] = [readDeeds(json.loading), readDeeds(json.calling)];
  const [reading, changes] = [readDeeds(json.reading), listOf(json.changes, readText)];
  if (!declares || !uses || !assigns || !changes || !later || !loading || !calling || !reading)
    return undefined;
  return {
    digest: json.digest as Digest,
    declares,
    uses,
    assigns,
    changes,
    later,
    loading,
    calling,
    reading,
  };
}

function readDeeds(json: Json | undefined): Deeds | undefined {
  if (!isJsonObject(json) || typeof json.isDeed !== 'boolean') return undefined;
  const [calls, reads] = [listOf(json.calls, readText), listOf(json.reads, readText)];
  return calls && reads && { isDeed: json.isDeed, calls, reads };
}

function readImported(json: Json): ImportedName | undefined {
  if (!isJsonObject(json) || typeof json.from !== 'string' || typeof json.name !== 'string') return undefined;
  return { from: json.from, name: json.name };
}

function readExported(json: Json): ExportedName | undefined {
  if (isJsonObject(json) && typeof json.local === 'string') return { local: json.local };
  return readImported(json);
}

function readText(json: Json): string | undefined {
  return typeof json === 'string' ? json : undefined;
}

function listOf<T>(json: Json | undefined, read: (item: Json) => T | undefined): readonly T[] | undefined {
  if (json === undefined || !isJsonArray(json)) return undefined;
  const items = json.map(read).filter((item) => item !== undefined);
  return items.length === json.length ? items : undefined;
}

function recordOf<T>(
  json: Json | undefined,
  read: (item: Json) => T | undefined,
): Readonly<Record<string, T>> | undefined {
  if (!isJsonObject(json)) return undefined;
  const entries = Object.entries(json).map(([key, item]) => [key, read(item ?? null)] as const);
  return entries.every((entry): entry is [string, T & {}] => entry[1] !== undefined)
    ? Object.fromEntries(entries)
    : undefined;
}
