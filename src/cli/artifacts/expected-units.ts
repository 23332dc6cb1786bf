import { type Expected, pinsIn } from '../../artifacts/index.ts';
import { openNamedLog } from '../logs/log-place.ts';
import type { Terminal } from '../terminal.ts';
import type { MergeFlags } from './artifact-options.ts';

/** What must be here in the end: the units that were named, and the very generations that finished logs name as used. */
export async function expectedUnits(
  { expect = [], expectFrom = [] }: MergeFlags,
  terminal: Terminal,
): Promise<readonly Expected[]> {
  const expected: Expected[] = expect.map((text) => {
    const slash = text.indexOf('/');
    return { kind: text.slice(0, slash), key: text.slice(slash + 1) };
  });
  for (const given of expectFrom) {
    const log = await openNamedLog(given, terminal.cwd);
    try {
      const pins = pinsIn((await log.header()).eval.metadata);
      if (pins.length === 0) terminal.note(`${given} names no artifacts: nothing is expected from it.`);
      for (const { kind, key, recipe, generation } of pins) expected.push({ kind, key, recipe, generation });
    } finally {
      await log.close();
    }
  }
  return expected;
}
