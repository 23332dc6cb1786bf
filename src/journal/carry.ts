import type { DatabaseSync } from 'node:sqlite';

/**
 * Copies one attempt from the attached database `other`, with everything it refers to. Contents are shared by hash, so
 * what is here already is not copied again.
 */
export function copyAttempt(db: DatabaseSync, from: number, to: number): void {
  for (const sql of COPY) db.prepare(sql).run({ from, to });
  db.prepare(COPY_ANSWERED).run({ from });
}

const COPY = [
  'INSERT INTO attempts (n, sample_id, epoch, key, data) SELECT $to, sample_id, epoch, key, data FROM other.attempts WHERE n = $from',
  'INSERT INTO links (attempt, kind, position, hash, text) SELECT $to, kind, position, hash, text FROM other.links WHERE attempt = $from ORDER BY n',
  'INSERT INTO events (attempt, json) SELECT $to, json FROM other.events WHERE attempt = $from ORDER BY n',
  'INSERT INTO answers (attempt, kind, digest, occurrence, data) SELECT $to, kind, digest, occurrence, data FROM other.answers WHERE attempt = $from ORDER BY n',
  'INSERT INTO outputs (attempt, data) SELECT $to, data FROM other.outputs WHERE attempt = $from',
  'INSERT INTO results (attempt, status, summary, data) SELECT $to, status, summary, data FROM other.results WHERE attempt = $from',
];

/** Linked contents, and those that the sample, answers, output and result name inside their JSON. */
const COPY_ANSWERED = `
INSERT OR IGNORE INTO contents (hash, text)
SELECT hash, text FROM other.contents WHERE hash IN (
  SELECT hash FROM other.links WHERE attempt = $from
  UNION
  SELECT substr(leaf.value, 14) FROM other.attempts, json_tree(other.attempts.data) AS leaf
    WHERE n = $from AND leaf.type = 'text' AND leaf.value LIKE 'attachment://%'
  UNION
  SELECT substr(leaf.value, 14) FROM other.answers, json_tree(other.answers.data) AS leaf
    WHERE attempt = $from AND leaf.type = 'text' AND leaf.value LIKE 'attachment://%'
  UNION
  SELECT substr(leaf.value, 14) FROM other.results, json_tree(other.results.data) AS leaf
    WHERE attempt = $from AND leaf.type = 'text' AND leaf.value LIKE 'attachment://%'
  UNION
  SELECT substr(leaf.value, 14) FROM other.outputs, json_tree(other.outputs.data) AS leaf
    WHERE attempt = $from AND leaf.type = 'text' AND leaf.value LIKE 'attachment://%'
)`;
