import { z } from 'zod';
import { type Digest, digestOf, exactJson, toJson, tryParseJson } from '../base/index.ts';
import { bundleErrors } from './bundle-errors.ts';
import { clashIn, isPathOfBundle, leavesBundle } from './paths.ts';

export const BUNDLE_FORMAT = 'holdfast-bundle';
export const BUNDLE_VERSION = 1;

const path = z.string().refine(isPathOfBundle);
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => text as Digest);
const size = z.int().min(0);

const plainFile = z.strictObject({ executable: z.boolean(), path, sha256, size });
const link = z
  .strictObject({ link: z.string().min(1), path })
  .refine((one) => !leavesBundle(one.path, one.link));
const dataFile = z.strictObject({ path, sha256, size });
const program = z.strictObject({
  command: z.array(z.string()).min(1),
  name: z.string(),
  version: z.string(),
});

// [BUN-2] The keys of every object are in code-unit order, and the text has no spaces: one text for one content.
const manifestSchema = z
  .strictObject({
    data: z.array(dataFile),
    files: z.array(z.union([plainFile, link])),
    format: z.literal(BUNDLE_FORMAT),
    image: z.string().nullable(),
    lock: path.nullable(),
    node: z.int(),
    programs: z.array(program),
    version: z.literal(BUNDLE_VERSION),
  })
  .refine(({ files, data }) => clashIn([...files, ...data].map((one) => one.path)) === undefined);

/** A file of the code. */
export type PlainFile = Readonly<z.output<typeof plainFile>>;
/** A symbolic link of the code, which leads to somewhere in the bundle. */
export type LinkFile = Readonly<z.output<typeof link>>;
export type BundleFile = PlainFile | LinkFile;
export type DataFile = Readonly<z.output<typeof dataFile>>;
export type BundleProgram = Readonly<z.output<typeof program>>;
/** What a bundle is: what its digest is of, and what lies in the bucket. */
export type BundleManifest = Readonly<z.output<typeof manifestSchema>>;

/** What has content, of the code and of the data: each by its digest in the bucket. */
export function contentsOf({ files, data }: BundleManifest): readonly PlainFile[] {
  const plain = files.flatMap((file) => ('link' in file ? [] : file));
  return [...plain, ...data.map((file) => ({ ...file, executable: false }))];
}

/** [BUN-2] The text whose digest is that of the bundle. Lists are sorted by path or name, by whoever makes it. */
export function encodeManifest(manifest: BundleManifest): Uint8Array {
  return Buffer.from(exactJson(toJson(manifestSchema.parse(manifest))));
}

export function digestOfManifest(manifest: BundleManifest): Digest {
  return digestOf(encodeManifest(manifest));
}

/** Reads what lies under a digest. Refuses what does not have it, and what a later version wrote. */
export function decodeManifest(bytes: Uint8Array, digest: string, where: string): BundleManifest {
  if (digestOf(bytes) !== digest) throw bundleErrors.damaged(where, 'it is not what its digest promises');
  const value = tryParseJson(bytes);
  const reading = manifestSchema.safeParse(value);
  if (reading.success) return reading.data;
  const { version } = z.object({ version: z.int() }).safeParse(value).data ?? {};
  if (version !== undefined && version > BUNDLE_VERSION) throw bundleErrors.newer(where, version);
  throw bundleErrors.damaged(where, 'it is no manifest of a bundle');
}
