/**
 * One of a crowd that works on one cache at the same time: builds, rebuilds, merges, reads or collects for a while. Says what it
 * saw as one line of JSON; whatever is not an answer of ours is told in full.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderSource, recipeOf } from '../../src/artifacts/index.ts';
import { seededRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { building, COST, openCache, partsOf } from '../sim/artifact-fixture.ts';

const [cacheDir = '', sourceDir = '', role = 'read', seed = '1', forMs = '1500'] = process.argv.slice(2);
const cache = openCache(cacheDir);
const random = seededRandom(Number(seed));
const KEYS = ['k0', 'k1', 'k2'];
const saw: Record<string, number> = {};
const until = performance.now() + Number(forMs);

const count = (what: string) => {
  saw[what] = (saw[what] ?? 0) + 1;
};

/** All files of a generation say the same, so that a mixture of two would show. */
const build = async (dir: string) => {
  const word = `${role} ${seed} ${random.next()}`;
  for (let file = 0; file < 8; file++) writeFileSync(join(dir, `f${file}`), word);
  return { cost: COST };
};

const ROLES: Readonly<Record<string, (key: string) => Promise<void>>> = {
  async build(key) {
    const isRebuild = random.next() < 0.2;
    count((await cache.buildOnce(partsOf(key), building(build, { isRebuild }))).origin);
  },
  async merge() {
    const { report, unwritten } = await cache.merge([folderSource(nodeDisk, sourceDir)]);
    for (const { state } of report.entries) count(state);
    for (const failure of unwritten) count(failure);
  },
  async read(key) {
    const use = await cache.use(recipeOf(partsOf(key)));
    count(use.kind);
    if (use.kind !== 'usable') return;
    const digests = new Set(use.generation.manifest.files.map(({ sha256 }) => sha256));
    if (digests.size !== 1) count('mixed');
  },
  async collect() {
    const { removed } = await cache.collect(await cache.planCollection({ olderThanMs: 0 }));
    for (const { why } of removed) count(why);
  },
};

process.stdout.write('begun\n');
// Once at least, however long it took to come up.
do {
  const key = KEYS[Math.floor(random.next() * KEYS.length)] ?? 'k0';
  try {
    await ROLES[role]?.(key);
  } catch (error) {
    count(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
} while (performance.now() < until);
process.stdout.write(`${JSON.stringify(saw)}\n`);
