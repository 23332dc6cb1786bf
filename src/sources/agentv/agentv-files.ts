import {
  DamageError,
  isJsonObject,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  type RunId,
  UsageError,
} from '../../base/index.ts';
import { type CatFile, type ObjectId, parseTree, type TreeEntry } from '../../git/index.ts';
import { foreignRunId } from '../../results/index.ts';

/** A run as AgentV keeps it: one folder of its results branch. */
export interface AgentvPlace {
  readonly run: RunId;
  /** As AgentV calls it: when it began, and before that its experiment, if that is not the default. */
  readonly name: string;
  /** When it began. */
  readonly created: string;
  readonly tree: ObjectId;
}

/** AgentV 4 keeps a run's figures in the one, AgentV 5 in the other. */
const ABOUT_FILES = ['benchmark.json', 'summary.json'] as const;
/** Where the rows are, unless the summary says it. */
const INDEX_FILES = ['index.jsonl', '.internal/index.jsonl'] as const;
const RUN_FOLDER = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z(?:-\d+)?$/;
/** `runs/<experiment>/<run>`, and an experiment may itself be a path. */
const DEPTH_MAX = 6;

/** The runs of a results branch, newest first. Folders of runs are not looked into: their names tell when they began. */
export async function listPlaces(objects: CatFile, commit: ObjectId): Promise<readonly AgentvPlace[]> {
  const places: AgentvPlace[] = [];
  const visit = async (tree: string, path: string, depth: number): Promise<void> => {
    const entries = await entriesOf(objects, tree);
    if (depth > 0 && entries.some(({ name }) => isAboutFile(name))) {
      const about = await readAbout(objects, entries);
      places.push(placeOf({ path, created: timeIn(about) ?? '', tree: tree as ObjectId }));
      return;
    }
    for (const { name, kind, id } of entries) {
      if (kind !== 'tree' || name.startsWith('.')) continue;
      const below = path === '' ? name : `${path}/${name}`;
      const created = createdIn(name);
      if (created !== undefined) places.push(placeOf({ path: below, created, tree: id }));
      else if (depth < DEPTH_MAX) await visit(id, below, depth + 1);
    }
  };
  await visit(`${commit}^{tree}`, '', 0);
  return places.sort((a, b) => (a.run < b.run ? 1 : -1));
}

/** What a run says of itself: its figures, and the text of its rows. */
export async function readRunFiles(
  objects: CatFile,
  place: AgentvPlace,
): Promise<{ readonly about: JsonObject; readonly index: string; readonly version: 4 | 5 }> {
  const entries = await entriesOf(objects, place.tree);
  const about = await readAbout(objects, entries);
  if (!about) throw unknownRun(place.name, ABOUT_FILES.join(' (AgentV 4) or '));
  const named = [about.index_path, about.manifest_path].filter((path) => typeof path === 'string');
  for (const path of [...named, ...INDEX_FILES]) {
    const blob = path.includes('\n')
      ? undefined
      : await objects.object(`${place.tree}:${path.replace(/^\.\//, '')}`);
    if (blob?.type !== 'blob') continue;
    const version = entries.some(({ name }) => name === ABOUT_FILES[0]) ? 4 : 5;
    return { about, index: blob.bytes.toString('utf8'), version };
  }
  throw unknownRun(place.name, INDEX_FILES.join(' or '));
}

/** E_AGENTV_FORMAT for a branch that no version of AgentV wrote that we know. */
export function unknownBranch(place: string): UsageError {
  return new UsageError({
    code: 'E_AGENTV_FORMAT',
    message: `${place} holds no results that are known: neither format.json of Holdfast, nor a run of AgentV with benchmark.json (4.x) or summary.json (5.x).`,
    hint: 'Name the branch of the results after a #: <repository>#agentv/results/v1.',
  });
}

function unknownRun(name: string, expected: string): DamageError {
  return new DamageError({
    code: 'E_AGENTV_RUN',
    message: `The run ${name} cannot be read: it has no ${expected} that is whole.`,
    hint: 'It was written by a version of AgentV that is not known, or was not published whole. The other runs are read.',
  });
}

async function readAbout(objects: CatFile, entries: readonly TreeEntry[]): Promise<JsonObject | undefined> {
  const file = ABOUT_FILES.map((name) => entries.find((entry) => entry.name === name)).find(Boolean);
  const blob = file && (await objects.object(file.id));
  if (!blob) return undefined;
  try {
    const value = parseJson(blob.bytes.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return undefined;
  }
}

async function entriesOf(objects: CatFile, name: string): Promise<readonly TreeEntry[]> {
  const tree = await objects.object(name);
  return tree?.type === 'tree' ? parseTree(tree.bytes, tree) : [];
}

function placeOf({ path, created, tree }: { path: string; created: string; tree: ObjectId }): AgentvPlace {
  const steps = path.replace(/^runs\//, '').split('/');
  const experiment = steps.slice(0, -1).join('/');
  const last = steps.at(-1) ?? '';
  const name = experiment === '' || experiment === 'default' ? last : `${experiment}::${last}`;
  return { run: foreignRunId(name, created), name, created, tree };
}

function createdIn(folder: string): string | undefined {
  const [, day, hour, minute, second, ms] = RUN_FOLDER.exec(folder) ?? [];
  return day === undefined ? undefined : `${day}T${hour}:${minute}:${second}.${ms}Z`;
}

function timeIn(about: JsonObject | undefined): string | undefined {
  const metadata = about && isJsonObject(about.metadata) ? about.metadata : undefined;
  return typeof metadata?.timestamp === 'string' ? metadata.timestamp : undefined;
}

function isAboutFile(name: string): boolean {
  return ABOUT_FILES.some((known) => known === name);
}
