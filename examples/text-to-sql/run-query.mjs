// `node run-query.mjs <database>`: executes the query on stdin, read only, and prints `{ rows }` or `{ error }` as JSON.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const ROWS_MAX = 1_000;

function execute(path, query) {
  // A connection that only reads could still write a copy elsewhere (VACUUM INTO), or open another file (ATTACH).
  if (!/^\s*(?:select|with)\b/i.test(query)) return { error: 'The answer is not a query.' };
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const statement = database.prepare(query);
    statement.setReturnArrays(true);
    const rows = [];
    for (const row of statement.iterate()) {
      if (rows.length === ROWS_MAX) return { error: `The query gives more than ${ROWS_MAX} rows.` };
      rows.push(row);
    }
    return { rows };
  } catch (error) {
    return { error: `The query cannot be executed: ${error instanceof Error ? error.message : error}` };
  }
}

console.log(JSON.stringify(execute(process.argv[2] ?? '', readFileSync(0, 'utf8'))));
