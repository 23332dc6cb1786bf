import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { makeStudioStore } from '../sim/studio/store.ts';
import { type Bench, type Finding, MB, rounded } from './bench.ts';
import { inChromium, timed } from './in-chromium.ts';
import { holdfast } from './published.ts';

/** Each is one run of 40 samples in two epochs on each of the simulated targets. */
const ROUNDS = 17;

/** How long it takes to write, and how large it is beside what it was made of. */
export const studioExport: Bench = {
  name: 'studio-export',
  about: 'the Studio as static files: writing them, their size, and their first rows from file://',
  run: ({ scale }) =>
    inChromium(async (browser, dir) => {
      const rounds = Math.max(1, Math.round(ROUNDS * scale));
      const store = await makeStudioStore(join(dir, 'project'), { rounds, evals: ['swe-lite'] });
      const logs = join(store.dir, 'logs');
      const out = join(dir, 'export');
      const written = await holdfast(['studio', 'export', ...store.runs, '--source', logs, '--out', out]);
      const page = `${pathToFileURL(join(out, 'index.html'))}#/runs`;
      const firstRows = (shown: Page) => shown.getByRole('gridcell').first().waitFor();
      const firstMs = await timed(browser, page, firstRows);
      return findings({
        runs: store.runs.length,
        ms: written.ms,
        cpuMs: written.cpuMs,
        peakMb: written.peakBytes / MB,
        logBytes: sizeOf(logs),
        bytes: sizeOf(out),
        firstMs,
      });
    }),
};

interface Exported {
  readonly runs: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly logBytes: number;
  readonly bytes: number;
  readonly firstMs: number;
}

function findings(figures: Exported): readonly Finding[] {
  const { runs, ms, peakMb, logBytes, bytes, firstMs } = figures;
  const mb = (size: number) => rounded(size / MB, 1);
  return [
    {
      what: `first rows of an export of ${runs} runs from file://, in ms`,
      measured: firstMs,
      atMost: 1_000,
      figures: { ...figures },
      line: `${rounded(firstMs, 0)} ms`,
    },
    {
      what: 'size of the export over that of the logs',
      measured: bytes / logBytes,
      atMost: 3,
      figures: { ...figures },
      line: `${mb(bytes)} MB of ${mb(logBytes)} MB, written in ${rounded(ms / 1_000, 1)} s with ${rounded(peakMb, 0)} MB of memory`,
    },
  ];
}

function sizeOf(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
