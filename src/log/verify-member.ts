import type { Json } from '../base/index.ts';
import type { SplitOptions } from './json-splitter.ts';
import type { MemberJson } from './member-json.ts';
import type { KeyCheck } from './shapes/check-document.ts';

/** The shapes of documents, loaded by whoever checks them. */
export type Shapes = typeof import('./shapes/check-document.ts');

/** Reads one of a log's own documents, all but samples, and gives what is wrong with its shape, if shapes are given. */
export async function* checkMember(
  json: MemberJson,
  name: string,
  shapes: Shapes | undefined,
): AsyncGenerator<string> {
  if (shapes && (name === 'header.json' || name === '_journal/start.json')) {
    yield* shapes.checkDocument(name === 'header.json' ? 'header' : 'start', await json.read());
    return;
  }
  const check = shapes && checkerOf(name, shapes);
  for await (const { path, bytes, isEnd } of json.split(splitting(name))) {
    if (isEnd) yield* check?.(path, undefined) ?? [];
    else {
      const value = json.parse(bytes);
      if (check) yield* check(path, value);
    }
  }
}

type Path = readonly (string | number)[];
/** Without a value it is the end of a list or an object that was entered. */
type PieceCheck = (path: Path, value: Json | undefined) => readonly string[];

function checkerOf(name: string, shapes: Shapes): PieceCheck | undefined {
  if (name === 'reductions.json') return reductionsChecker(shapes);
  if (name !== 'summaries.json' && !name.startsWith('_journal/summaries/')) return undefined;
  return (path, value) => (value === undefined ? [] : shapes.checkDocument('summary', value, placeOf(path)));
}

/** Reductions come key by key and score by score, since one holds as many scores as there are samples. */
function reductionsChecker({ checkDocument, checkKeys }: Shapes): PieceCheck {
  let keys: KeyCheck | undefined;
  return (path, value) => {
    const [at, key] = path;
    if (path.length === 3 && value !== undefined) return checkDocument('reducedScore', value, placeOf(path));
    if (path.length === 0) return [];
    keys ??= checkKeys('reductions', `[${at}]`);
    if (key !== undefined) {
      if (value !== undefined) return keys.key(String(key), value);
      keys.see(String(key));
      return [];
    }
    const missing = keys.finish();
    keys = undefined;
    return value === undefined ? missing : checkDocument('reductions', value, placeOf(path));
  };
}

function placeOf(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** Lists are read item by item, so that a long one is never held whole; that of reductions holds one for each scorer. */
function splitting(member: string): Pick<SplitOptions, 'decide' | 'reportEnd'> {
  const depth = member === 'reductions.json' ? 3 : 1;
  const isInside = (path: Path) => path.length < depth;
  return { decide: (path) => (isInside(path) ? 'enter' : 'take'), reportEnd: isInside };
}
