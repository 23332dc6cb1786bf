import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rowSum } from '../../src/journal/row-sum.ts';

/** Makes all journals below a folder look as if another machine had written them. */
export function moveToAnotherMachine(dir: string): void {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith('journal.db'))) renameMachine(join(dir, name));
}

function renameMachine(path: string): void {
  const database = new DatabaseSync(path);
  const row = database.prepare("SELECT value FROM meta WHERE key = 'writer'").get();
  const record = JSON.parse(String(row?.value)) as { process: object };
  const process = { ...record.process, host: 'another', machineId: 'another', bootId: 'another' };
  const value = JSON.stringify({ ...record, process });
  const sum = rowSum('meta', ['writer', value]);
  database.prepare("UPDATE meta SET value = ?, sum = ? WHERE key = 'writer'").run(value, sum);
  database.close();
  // The copy of the records beside it says the old name; without it the database counts.
  rmSync(join(dirname(path), 'record'), { force: true });
}
