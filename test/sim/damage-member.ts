import { readFile, writeFile } from 'node:fs/promises';

/** Zeroes twenty bytes of a member's content, in the first place of a ZIP that names it: its checksum no longer fits. */
export async function damageMember(path: string, name: string): Promise<void> {
  const bytes = await readFile(path);
  const named = bytes.indexOf(name);
  if (named < 0) throw new Error(`${path} has no member ${name}.`);
  const from = named + name.length + 12;
  bytes.fill(0, from, from + 20);
  await writeFile(path, bytes);
}
