import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, isoTime, parseJson, toJson } from '../base/index.ts';
import { createFile, type Disk } from '../disk/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { damagedDir } from './layout.ts';
import type { FileProblem } from './verify-files.ts';

/** A generation that was found damaged: what was, where it lies now, and why it is not used. It is remembered until a whole copy is here. */
export interface Damage {
  readonly kind: string;
  readonly key: string;
  /** The beginning of its recipe, by which its folder is named. */
  readonly recipe: string;
  readonly generation: string;
  /** Null when its manifest cannot be read: then it may have taken the place of any earlier one. */
  readonly supersedes: readonly string[] | null;
  readonly reason: string;
  readonly files: readonly FileProblem[];
  /** Where it lies now. */
  readonly place: string;
  /** It was found in this place, from which artifacts came, and never was here. */
  readonly elsewhere?: string;
  /** A later version of Holdfast wrote it. */
  readonly isNewer?: boolean;
  /** It has the name of a generation and no manifest. Never of what was set aside. */
  readonly isScrap?: boolean;
}

export interface DamageFinding extends Omit<Damage, 'place'> {
  /** Where it lies until it is set aside. */
  readonly dir: string;
}

/**
 * Sets a damaged generation aside: out of the way, whole, with a file beside it that says why [ART-9]. Only under the lock of
 * its recipe.
 *
 * ### Ordering
 * The reason is durable before the generation moves: whoever finds the recipe without it must be able to tell that it had one.
 * A crash in between leaves a reason too many, and the generation is found damaged once more.
 */
export async function setAside(
  ports: { readonly disk: Disk; readonly clock: Clock; readonly cacheDir: string },
  finding: DamageFinding,
): Promise<Damage> {
  const { disk } = ports;
  const { dir, ...what } = finding;
  const place = await keepReason(ports, what);
  await disk.rename(dir, place);
  await disk.syncDir(join(place, '..'));
  await disk.syncDir(join(dir, '..'));
  return { ...what, place };
}

/**
 * [ART-9] Remembers a generation that is damaged in a place from which artifacts come: what it superseded is not current here either. What
 * is remembered of it already, and says as much, stays.
 */
export async function rememberElsewhere(
  ports: { readonly disk: Disk; readonly clock: Clock; readonly cacheDir: string },
  damage: Damage,
): Promise<Damage> {
  const { place, isScrap: _, ...what } = damage;
  const remembered = { ...what, elsewhere: place };
  const known = (await readDamages(ports.disk, ports.cacheDir)).filter(
    ({ recipe, generation }) => recipe === damage.recipe && generation === damage.generation,
  );
  const isKnown = known.some(({ supersedes }) => supersedes !== null || damage.supersedes === null);
  if (!isKnown) await keepReason(ports, remembered);
  return { ...remembered, place };
}

/** Writes down what is wrong, under a name that nobody has, and gives the place beside it for the generation itself. */
async function keepReason(
  { disk, clock, cacheDir }: { readonly disk: Disk; readonly clock: Clock; readonly cacheDir: string },
  what: Omit<Damage, 'place'>,
): Promise<string> {
  const aside = damagedDir(cacheDir);
  await disk.makeDir(aside);
  const record = { format: 1, ...what, found: isoTime(clock.nowMs()) };
  const bytes = Buffer.from(`${canonicalJson(toJson(record))}\n`);
  for (let number = 1; ; number++) {
    const place = join(aside, `${what.recipe}-${what.generation}-${number}`);
    if (!(await disk.stat(place)) && (await createFile(disk, `${place}.json`, bytes))) return place;
  }
}

/** All that was set aside here, and what is remembered of other places. A reason that cannot be read still has a name that says of what it is. */
export async function readDamages(disk: Disk, cacheDir: string): Promise<readonly Damage[]> {
  const aside = damagedDir(cacheDir);
  const damages: Damage[] = [];
  for (const { name } of (await disk.list(aside)) ?? []) {
    if (!REASON_NAME.test(name)) continue;
    const bytes = await disk.read(join(aside, name));
    const reason = bytes && parseReason(bytes, name);
    const place = join(aside, name.slice(0, -'.json'.length));
    if (reason) damages.push({ ...reason, place: reason.elsewhere ?? place });
  }
  return damages;
}

const REASON_NAME = /^([0-9a-f]{16})-(.+)-\d+\.json$/;

const reasonSchema = z.object({
  kind: z.string(),
  key: z.string(),
  recipe: z.string(),
  generation: z.string(),
  supersedes: z.array(z.string()).nullable(),
  reason: z.string(),
  files: z.array(z.object({ path: z.string(), problem: z.enum(['missing', 'changed', 'extra', 'link']) })),
  elsewhere: z.string().exactOptional(),
  isNewer: z.boolean().exactOptional(),
});

function parseReason(bytes: Uint8Array, name: string): Omit<Damage, 'place'> {
  const parsed = reasonSchema.safeParse(tryParse(bytes));
  if (parsed.success) return parsed.data;
  const [, recipe = '', generation = ''] = REASON_NAME.exec(name) ?? [];
  const reason = 'it was set aside, and the file that says why cannot be read';
  return { kind: '?', key: '?', recipe, generation, supersedes: null, reason, files: [] };
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined; // Whatever it is, it is no reason that can be read, and that is what is told.
  }
}
