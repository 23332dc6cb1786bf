import { mustBeCrash, SimulatedDisk } from './simulated-disk.ts';

/** `power`: unsynced changes are kept, dropped or torn. `process`: nothing is lost yet, and nothing more durable. */
export type Death = 'power' | 'process';
const DEATHS: readonly Death[] = ['power', 'process'];

export interface CrashScenario<T> {
  /** What was there before; never interrupted, but durable only as far as it synced. */
  readonly prepare?: (disk: SimulatedDisk) => Promise<void>;
  readonly act: (disk: SimulatedDisk) => Promise<T>;
  /** Looks at the disk after the death. `result` is undefined when `act` did not return. */
  readonly check: (disk: SimulatedDisk, result: { readonly value: T } | undefined) => Promise<void>;
  readonly seeds?: number;
}

/**
 * Lets `act` die at each of its steps, and after the last, by power loss and by a kill, with many seeds. A failed
 * check names step, death and seed. Returns how many deaths were tried.
 */
export async function sweepCrashes<T>(scenario: CrashScenario<T>): Promise<number> {
  const { seeds = 30 } = scenario;
  const steps = await countSteps(scenario);
  let tried = 0;
  let returned = 0;
  for (let crashAt = 1; crashAt <= steps + 1; crashAt++) {
    for (let seed = 0; seed < seeds; seed++) {
      for (const death of DEATHS) {
        const hasReturned = await dieOnce(scenario, { crashAt, seed, death });
        if (hasReturned) returned++;
        tried++;
      }
    }
  }
  // Else whatever a check asks of a result was never asked.
  if (returned === 0) throw new Error(`None of ${tried} came to its end.`);
  return tried;
}

async function countSteps<T>(scenario: CrashScenario<T>): Promise<number> {
  const disk = await prepared(scenario, {});
  await scenario.act(disk);
  if (disk.steps === 0) throw new Error('There is nothing to interrupt: it did not touch the disk.');
  return disk.steps;
}

/** True when it came to its end before it died. */
async function dieOnce<T>(
  scenario: CrashScenario<T>,
  { crashAt, seed, death }: { readonly crashAt: number; readonly seed: number; readonly death: Death },
): Promise<boolean> {
  const disk = await prepared(scenario, { crashAt, seed });
  const result = await scenario.act(disk).then((value) => ({ value }), mustBeCrash);
  const after = death === 'power' ? disk.powerCycle() : disk.restart();
  try {
    await scenario.check(after, result || undefined);
  } catch (error) {
    throw new Error(`after death by ${death} at step ${crashAt}, seed ${seed}`, { cause: error });
  }
  return Boolean(result);
}

async function prepared<T>(
  scenario: CrashScenario<T>,
  options: { readonly crashAt?: number; readonly seed?: number },
): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk({ seed: options.seed ?? 0 });
  await scenario.prepare?.(disk);
  return disk.restart(options);
}
