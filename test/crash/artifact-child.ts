/**
 * Asks for one artifact, as many others do at the same time. Says what came of it as one line of JSON; every build of it leaves
 * a line in a file, so that whoever started the children can count them.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../src/base/index.ts';
import { building, COST, openCache, partsOf } from '../sim/artifact-fixture.ts';

const [cacheDir = '', key = 'db', buildMs = '200', rounds = '1', files = '3'] = process.argv.slice(2);
const cache = openCache(cacheDir);

for (let round = 0; round < Number(rounds); round++) {
  const unit = Number(rounds) > 1 ? `${key}${round}` : key;
  const waits: unknown[] = [];
  const build = async (dir: string) => {
    appendFileSync(`${cacheDir}.builds`, `${unit}\n`);
    process.stdout.write(`${JSON.stringify({ building: unit })}\n`);
    for (let file = 0; file < Number(files); file++) {
      writeFileSync(join(dir, `f${file}`), `${unit} ${process.pid} ${file}`);
      await sleep(Number(buildMs) / Number(files));
    }
    return { cost: COST };
  };
  try {
    const { origin, generation } = await cache.buildOnce(
      partsOf(unit),
      building(build, { onWait: (waiting) => waits.push(waiting) }),
    );
    const { digest } = generation.manifest;
    process.stdout.write(`${JSON.stringify({ unit, origin, digest, waits })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ unit, failed: errnoOf(error), message: String(error) })}\n`);
  }
}
