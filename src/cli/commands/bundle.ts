import { resolve } from 'node:path';
import { Option } from 'commander';
import { digestOf, toJson, UsageError } from '../../base/index.ts';
import { openBucket } from '../../bucket/index.ts';
import {
  type BundleManifest,
  changesOf,
  decodeManifest,
  readBundleManifest,
  recallBundle,
  rememberBundle,
} from '../../bundle/index.ts';
import { SHARED_PREFIX } from '../../cluster/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { bundleLines, changeLines } from '../bundle/bundle-lines.ts';
import { memoryOfBundle, projectBundle } from '../bundle/project-bundle.ts';
import { type CommandCall, type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';

interface BundleFlags extends CommonFlags {
  readonly against?: string;
}

interface Compared {
  readonly digest: string;
  readonly manifest: BundleManifest;
}

export const command = defineCommand<BundleFlags>({
  summary: 'Say which code workers would run, and why its digest changed',
  description: `Shows the bundle of this project: the files that git tracks as they are in the work tree (or those that "bundle.files"
lists), the lock file, Node, declared programs, data and image. Its digest is of contents alone, so it is the same in every clone.
What changed since the last time, or since the bundle that is named, is said.`,
  options: [
    new Option(
      '--against <bundle>',
      'compare with this one: the digest of a bundle in the bucket, or a file with its manifest',
    ),
  ],
  examples: [
    ['holdfast bundle', 'what is inside, and what changed since the last time'],
    ['holdfast bundle --json', 'the same with every file and its digest'],
  ],
  exits: {
    0: 'shown',
    1: 'git or a declared program cannot be asked',
    2: 'the code cannot be a bundle as it is',
    3: 'the bundle to compare with is damaged',
  },
  async run(call) {
    const { flags, terminal } = call;
    const settings = await call.settings();
    const memory = await memoryOfBundle(terminal);
    const bundle = await projectBundle(terminal, settings);
    const before =
      flags.against === undefined
        ? await recallBundle(nodeDisk, memory)
        : await named(flags.against, call, memory);
    const since = before && { digest: before.digest, changes: changesOf(before.manifest, bundle.manifest) };
    await rememberBundle(nodeDisk, memory, bundle);
    if (flags.json) {
      const { filesFrom: _, revision = null, ...rest } = bundle;
      terminal.json(toJson({ exitCode: EXIT.ok, ...rest, revision, since: since ?? null }));
      return EXIT.ok;
    }
    for (const line of bundleLines(bundle, terminal)) terminal.line(line);
    if (since && since.digest === bundle.digest) terminal.note('It is the same as before.');
    else if (since) for (const line of changeLines(since, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

/** A bundle by its digest, or a file that holds its manifest. */
async function named(word: string, call: CommandCall<BundleFlags>, memory: string): Promise<Compared> {
  const { cwd } = call.terminal;
  if (/^[0-9a-f]{64}$/.test(word)) {
    const remembered = await recallBundle(nodeDisk, memory);
    if (remembered?.digest === word) return remembered;
    const url = (await call.settings()).text('bucket');
    if (url === undefined)
      throw unknown(`There is no bucket in which the bundle ${word.slice(0, 12)} could be looked up.`);
    const place = { bucket: await openBucket(url, { disk: nodeDisk }), prefix: SHARED_PREFIX };
    return { digest: word, manifest: await readBundleManifest(place, word) };
  }
  const bytes = await nodeDisk.read(resolve(cwd, word));
  if (!bytes) throw unknown(`"${word}" is neither the digest of a bundle nor a file.`);
  const digest = digestOf(bytes);
  return { digest, manifest: decodeManifest(bytes, digest, word) };
}

function unknown(message: string): UsageError {
  return new UsageError({
    code: 'E_BUNDLE_UNKNOWN',
    message,
    hint: 'Give all 64 digits of the digest of a bundle in the bucket that is the setting "bucket", or a file that holds its manifest.',
  });
}
