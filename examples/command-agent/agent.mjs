// A tiny command-line agent: reads its task from stdin, works in the folder it is started in, and says what it did.
import { readFileSync, writeFileSync } from 'node:fs';

const task = readFileSync(0, 'utf8');
const name = /file called (\S+)/.exec(task)?.[1] ?? 'notes.txt';
const words = readFileSync('words.txt', 'utf8').trim().split('\n');
writeFileSync(name, `${words.toSorted().join('\n')}\n`);
console.log(`Sorted ${words.length} words into ${name}.`);
