import { isSeq } from 'yaml';
import { readYaml } from '../evals/index.ts';
import { badFile, badRow } from './data-error.ts';
import type { FileStoreInput } from './file-store.ts';
import { arrayStore, type RowStore } from './row-store.ts';

/** YAML has no records that could be found by offset, so the file is read whole; it is meant for hand-written rows. */
export async function openYamlStore({
  disk,
  path,
  label,
  shape,
}: Omit<FileStoreInput, 'format'>): Promise<RowStore> {
  const bytes = await disk.read(path);
  if (bytes === undefined) {
    throw badFile(label, 'does not exist', 'Check "data": a path is relative to the eval file.');
  }
  const reading = await readYaml(decode(bytes, label));
  if ('problem' in reading) {
    throw badRow(
      `${label}:${reading.line}`,
      `not valid YAML: ${reading.problem}`,
      'Check the indentation, the quotes and the names after "*" there.',
    );
  }
  const { value: rows, lines } = reading;
  const list = reading.document.contents;
  if (!isSeq(list) || !Array.isArray(rows)) throw badRow(`${label}:1`, 'the file must hold a list of rows');
  const lineOf = (index: number) => {
    const item: unknown = list.items[index];
    const range: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'range') : undefined;
    return Array.isArray(range) ? lines.linePos(Number(range[0])).line : 1;
  };
  return { ...arrayStore(rows.map(shape)), place: (index) => `${label}:${lineOf(index)}` };
}

function decode(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const good = new TextDecoder('utf-8').decode(bytes).split('\ufffd', 1)[0] ?? '';
    throw badRow(`${label}:${good.split('\n').length}`, 'not valid UTF-8', 'Save the file as UTF-8.');
  }
}
