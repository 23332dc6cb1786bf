/** Exports of the Studio for tests: written as the command writes them, and read without a browser by what the app reads them with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import type { AnswerOf, FindLine, RouteName, SearchLine } from '../../../src/server/api.ts';
import { type ExportAccount, exportStudio } from '../../../src/server/index.ts';
import { openFolder, openSource, type RunSource } from '../../../src/sources/index.ts';
import { GIT_ENV } from '../../sim/results-repo.ts';
import { textOfChunk } from '../../sim/studio/export-chunk.ts';

export interface TestPlaces {
  readonly places?: readonly string[];
  readonly logDirs?: readonly string[];
}

export async function openTestSources({
  places = [],
  logDirs = [],
}: TestPlaces): Promise<readonly RunSource[]> {
  const context = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, cwd: '/' };
  const sources: RunSource[] = [];
  for (const place of places) sources.push(...(await openSource(place, context)));
  for (const dir of logDirs) sources.push(...(await openFolder(dir, context)));
  return sources;
}

export interface TestExport extends TestPlaces {
  readonly out: string;
  readonly appDir: string;
  /** All unless some are named. */
  readonly runs?: readonly string[];
  readonly withNotes?: boolean;
}

export async function exportTestStudio({
  out,
  appDir,
  runs,
  withNotes = false,
  ...given
}: TestExport): Promise<ExportAccount> {
  const sources = await openTestSources(given);
  try {
    const all = new Set<string>();
    for (const source of sources) for await (const { run } of source.runs()) all.add(run);
    return await exportStudio({
      disk: nodeDisk,
      clock: systemClock,
      random: systemRandom,
      sources,
      runs: runs ?? [...all],
      named: runs ?? [],
      withNotes,
      about: { version: '0.0.0', places: sources.map(({ place }) => place) },
      appDir,
      out,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  } finally {
    for (const source of sources) await source[Symbol.asyncDispose]();
  }
}

/** As much of the app's door to data as tests ask through it. */
export interface ExportedData {
  ask<Name extends RouteName>(
    name: Name,
    asked: { readonly params: object; readonly query: object },
  ): Promise<AnswerOf<Name>>;
  lines(
    name: 'find',
    asked: { readonly params: object; readonly query: object },
    signal: AbortSignal,
  ): AsyncIterable<FindLine>;
  lines(
    name: 'search',
    asked: { readonly params: object; readonly query: object },
    signal: AbortSignal,
  ): AsyncIterable<SearchLine>;
}

/** What the app would show of an export. Named so that the types of the browser are not asked for here. */
export async function openExport(
  dir: string,
): Promise<ExportedData & { readonly loaded: ReadonlyMap<string, string> }> {
  const loaded = new Map<string, string>();
  const chunks = {
    load: async (key: string): Promise<string> => {
      const known = loaded.get(key);
      if (known !== undefined) return known;
      const text = textOfChunk(readFileSync(join(dir, 'data', `${key}.js`), 'utf8'));
      loaded.set(key, text);
      return text;
    },
  };
  const path = '../../../studio/src/data/export/export-data.ts';
  const { ExportData } = (await import(path)) as { ExportData: new (given: typeof chunks) => ExportedData };
  const data = new ExportData(chunks);
  return {
    loaded,
    ask: (name, asked) => data.ask(name, asked),
    lines: ((name: 'find', asked, signal) => data.lines(name, asked, signal)) as ExportedData['lines'],
  };
}
