// Stands in for `holdfast worker`: told the same words, it writes down that it was started, with what, and that it ended.
// Its first word is the folder of the ledger; `--stubborn` makes it deaf to SIGTERM, `--child` gives it a process in a group of its own.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

const [ledger, ...words] = process.argv.slice(2);
const after = (word) => words[words.indexOf(word) + 1];
const envFile = words.includes('--keys-file') ? after('--keys-file') : undefined;
const keys = envFile === undefined ? process.env : parseEnv(readFileSync(envFile, 'utf8'));

const child = words.includes('--child')
  ? spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).pid
  : undefined;

const note = (kind, value) => {
  const path = join(ledger, `${process.pid}.${kind}`);
  writeFileSync(`${path}.part`, JSON.stringify(value));
  renameSync(`${path}.part`, path);
};

process.on('SIGTERM', () => {
  if (words.includes('--stubborn')) return;
  if (child !== undefined) process.kill(child, 'SIGKILL');
  note('ended', { by: 'SIGTERM' });
  process.exit(0);
});
note('started', {
  pid: process.pid,
  child,
  words,
  cwd: process.cwd(),
  keyDigest: createHash('sha256')
    .update(keys.STAND_IN_KEY ?? '')
    .digest('hex'),
  envFile,
  envFileMode: envFile === undefined ? undefined : statSync(envFile).mode & 0o777,
});
// A test that failed leaves nothing behind for long.
setTimeout(() => process.exit(9), 120_000);
