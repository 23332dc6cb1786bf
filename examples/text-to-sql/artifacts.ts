/** What the questions about one database share: its schema, and what a model knows of it. Both are built once. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defineArtifact } from 'holdfast';
import { MODEL } from './scripted-model.mts';

/** The first stage is plain code: for each table how it is made, and some of its rows. */
const schema = (db: string) =>
  defineArtifact({
    kind: 'schema',
    key: db,
    version: 1,
    inputs: { database: { file: `databases/${db}.sqlite` }, rows: { value: 3 } },
    build({ dir, inputs }) {
      const database = new DatabaseSync(inputs.database, { readOnly: true });
      const tables = database.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name",
      );
      for (const { name, sql } of tables.all()) {
        const rows = database.prepare(`SELECT * FROM "${name}" LIMIT ${inputs.rows}`).all();
        const samples = rows.map((row) => `-- ${JSON.stringify(row)}\n`).join('');
        writeFileSync(join(dir, `${name}.sql`), `${sql};\n${samples}`);
      }
      database.close();
    },
  });

/** The second stage asks a model, once for each table. A build that is killed keeps the answers that it has. */
export const knowledge = (db: string) =>
  defineArtifact({
    kind: 'knowledge',
    key: db,
    version: 1,
    model: MODEL,
    inputs: { schema: schema(db) },
    async build({ dir, inputs, generate }) {
      const sections = [`# The database ${db}`];
      for (const file of readdirSync(inputs.schema).sort()) {
        const table = readFileSync(join(inputs.schema, file), 'utf8');
        const { text } = await generate(
          `Describe this table for somebody who writes queries about it: what its columns mean, and how it is joined.\n\n${table}`,
        );
        sections.push(text);
      }
      writeFileSync(join(dir, 'knowledge.md'), `${sections.join('\n\n')}\n`);
    },
  });
