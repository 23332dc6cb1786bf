import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, median, rounded } from './bench.ts';
import { holdfast } from './published.ts';
import { startStudio } from './studio-server.ts';

const SAMPLES = 4_000;
const TRIES = 5;

/** Whether a run is slower while a browser watches it: the same eval in turn with and without. */
export const studioWatch: Bench = {
  name: 'studio-watch',
  about: `${SAMPLES} samples of four events, watched by a browser's event stream and not: time with over time without`,
  async run({ scale }) {
    const samples = Math.max(100, Math.round(SAMPLES * scale));
    await using dir = await makeTempDir();
    const evalFile = join(dir.path, 'watched.eval.js');
    writeFileSync(evalFile, evalSource(samples));
    const [alone, watched]: [number[], number[]] = [[], []];
    let told = 0;
    for (let n = 0; n < TRIES; n++) {
      const logs = join(dir.path, `alone-${n}`);
      alone.push((await holdfast(['run', evalFile, '--log-dir', logs, '--quiet'])).ms);
      const again = await runWatched(evalFile, join(dir.path, `watched-${n}`));
      watched.push(again.ms);
      told += again.told;
    }
    const [aloneMs, watchedMs] = [median(alone), median(watched)];
    return [
      {
        what: 'time of a run that is watched over one that is not',
        measured: watchedMs / aloneMs,
        atMost: 1.03,
        figures: { samples, aloneMs, watchedMs, alone, watched, told },
        line: `${rounded(aloneMs, 0)} ms alone, ${rounded(watchedMs, 0)} ms while ${told} events were told`,
      },
    ];
  },
};

async function runWatched(
  evalFile: string,
  logs: string,
): Promise<{ readonly ms: number; readonly told: number }> {
  mkdirSync(logs);
  await using studio = await startStudio(['--log-dir', logs]);
  const stop = new AbortController();
  let told = 0;
  const listening = listen(`${studio.url}/api/live`, stop.signal, () => told++);
  const { ms } = await holdfast(['run', evalFile, '--log-dir', logs, '--quiet']);
  stop.abort();
  await listening;
  return { ms, told };
}

async function listen(url: string, signal: AbortSignal, onEvent: () => void): Promise<void> {
  try {
    const { body } = await fetch(url, { signal });
    const decoder = new TextDecoder();
    for await (const chunk of body ?? [])
      for (const _ of decoder.decode(chunk).matchAll(/^data:/gm)) onEvent();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Each sample waits a little, as one that asks a model does: what is left of two cores is what a watcher may take. */
function evalSource(samples: number): string {
  return `import { defineEval, exact } from 'holdfast';
export default defineEval({
  name: 'watched',
  data: Array.from({ length: ${samples} }, (_, n) => ({ id: n + 1, input: 'Say ' + n, target: String(n) })),
  target: async ({ input }, { info }) => {
    info({ step: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    return input.slice(4);
  },
  scorers: [exact()],
});
`;
}
