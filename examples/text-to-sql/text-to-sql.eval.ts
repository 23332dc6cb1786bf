/** Questions about four databases, answered in SQL. What a model knows of a database is built once, and kept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { dataFile, defineEval, mockModel } from 'holdfast';
import { knowledge } from './artifacts.ts';
import { DATABASE_FILES, makeDatabases } from './databases.ts';
import { sameResult } from './same-result.ts';
import { answerTo, MODEL } from './scripted-model.mts';

makeDatabases();

// Where a server is named, such as that of model-server.mts, it is asked; else the script answers in this process.
const isServed = Boolean(process.env.OPENAI_COMPATIBLE_BASE_URL);
const analyst = mockModel({ name: MODEL, respond: ({ text }) => answerTo(text) });

export default defineEval({
  name: 'text-to-sql',
  data: dataFile<string, string>('questions.jsonl'),
  // What the scorer reads and runs itself.
  inputs: [...DATABASE_FILES, 'run-query.mjs'],
  requires: ({ metadata }) => knowledge(String(metadata?.db)),
  async target({ input, metadata }, { artifact, generate }) {
    const known = readFileSync(join(artifact(knowledge(String(metadata?.db))), 'knowledge.md'), 'utf8');
    const { text } = await generate({
      model: MODEL,
      system: 'Answer with one SQLite query, and nothing else.',
      prompt: `${known}\nQuestion: ${input}`,
    });
    return /```(?:sql)?\n(.*?)```/s.exec(text)?.[1] ?? text;
  },
  scorers: [sameResult],
  metrics: ['accuracy', { name: 'grouped', options: { metric: 'mean', group_key: 'db', all: false } }],
  models: isServed ? {} : { [MODEL]: analyst },
  prices: { [MODEL]: { input: 2.5, output: 10 } },
});
