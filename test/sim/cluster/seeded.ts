import { systemClock } from '../../../src/base/index.ts';

/** One seed takes a fiftieth of a second: this is met only by what hangs. */
const HANGS_MS = 60_000;

/** Does something with a seed. However it fails, also when it throws or hangs, the error begins with how to play that seed again. */
export async function seeded(seed: number, files: string, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const hangs = async () => {
    await systemClock.sleep(HANGS_MS, over.signal);
    throw new Error(`nothing came of it in ${HANGS_MS / 1_000} s`);
  };
  try {
    await Promise.race([work(), hangs()]);
  } catch (error) {
    const replay = `HOLDFAST_SEED=${seed} HOLDFAST_SEEDS=1 npx vitest run ${files}`;
    throw new Error(`${replay}\n${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    over.abort();
  }
}
