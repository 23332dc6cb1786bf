import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  fillBuffer,
  type MadeBuffer,
  madeEvent,
  modelEvent,
  user,
} from '../../../test/sim/inspect-buffer.ts';
import { makeTempDir } from '../../../test/sim/temp-dir.ts';
import type { JsonObject } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { BufferReader } from './buffer-reader.ts';
import { explainBufferError } from './open-buffer.ts';
import { openBufferDatabase } from './open-buffer-database.ts';

function open(buffer: MadeBuffer): BufferReader {
  const db = new DatabaseSync(':memory:');
  fillBuffer(db, buffer);
  return new BufferReader({ kind: 'database', place: 'memory', db, close: async () => db.close() });
}

const row = (id: number | string, more: JsonObject = {}): { readonly summary: JsonObject } => ({
  summary: { id, epoch: 1, input: 'q', target: '', metadata: {}, completed: false, ...more },
});
const completed = {
  completed: true,
  completed_at: '2026-01-01T00:00:00+00:00',
  scores: { match: { value: 1 } },
};
const ONE = { id: '1', epoch: 1 };

describe('samples', () => {
  test.each([
    ['2 completed, 2 running', [row(1, completed), row(2, completed), row(3), row(4)], 2, 2],
    ['all completed', [row(1, completed), row(2, completed), row(3, completed)], 3, 0],
    ['all running', [row(1), row(2)], 0, 2],
    ['none', [], 0, 0],
  ])('%s', (_, samples, done, running) => {
    const reader = open({ samples });
    const found = reader.samples();
    expect(found.filter(({ isCompleted }) => isCompleted)).toHaveLength(done);
    expect(found.filter(({ isCompleted }) => !isCompleted)).toHaveLength(running);
    for (const sample of found) {
      const summary = reader.summary(sample);
      expect(summary?.completed_at !== undefined && summary.scores !== undefined).toBe(sample.isCompleted);
    }
  });

  test('one of which only events arrived is there too', () => {
    const reader = open({ events: [{ sample: 'x', epoch: 2, event: madeEvent('info') }] });
    expect(reader.samples()).toEqual([{ id: 'x', epoch: 2, hasRow: false, isCompleted: false }]);
    expect(reader.summary({ id: 'x', epoch: 2 })).toBeUndefined();
  });
});

describe.each(['old', 'pools', 'new'] as const)('a database of the %s schema', (schema) => {
  test('gives events, and pools and metadata where it has them', () => {
    const pooled = schema !== 'old';
    const reader = open({
      schema,
      samples: [{ ...row(1), metadata: { full: true } }],
      events: [{ event: madeEvent('info', { data: 'a' }) }, { event: modelEvent({ refs: [[0, 1]] }) }],
      ...(pooled
        ? { messages: [{ key: 'm', data: user('Hi') }], calls: [{ key: 'c', data: { role: 'user' } }] }
        : {}),
      attachments: [{ hash: 'h', text: 'long' }],
    });
    expect(reader.eventRows(ONE).map(({ row: n }) => n)).toEqual([1, 2]);
    expect(reader.event(1)?.tag).toBe('info');
    expect(reader.poolRows(ONE, 'message')).toHaveLength(pooled ? 1 : 0);
    expect(reader.poolRows(ONE, 'call')).toHaveLength(pooled ? 1 : 0);
    if (pooled) expect(reader.poolText('message', 1)).toBe('{"role":"user","content":"Hi"}');
    expect(reader.metadata(ONE)).toEqual(schema === 'new' ? { full: true } : undefined);
    expect([...reader.attachments(ONE)]).toEqual([{ hash: 'h', text: 'long' }]);
    expect(reader.attachment(ONE, 'h')).toBe('long');
    expect(reader.attachment(ONE, 'unknown')).toBeUndefined();
    expect(reader.problems).toEqual([]);
  });
});

describe('the text of an event', () => {
  const textOf = (data: string) => {
    const db = new DatabaseSync(':memory:');
    fillBuffer(db, {});
    db.prepare("INSERT INTO events (event_id, sample_id, sample_epoch, data) VALUES ('e', '1', 1, ?)").run(
      data,
    );
    const reader = new BufferReader({ kind: 'database', place: 'memory', db, close: async () => db.close() });
    return { found: reader.event(1), problems: reader.problems };
  };

  test('is compact, and each number is as it was written', () => {
    const { found } = textOf(
      '{\n  "event": "info",\n  "data": [1.50, 12345678901234567890, "a  b\\u00e9"]\n}',
    );
    expect(found).toEqual({
      tag: 'info',
      json: '{"event":"info","data":[1.50,12345678901234567890,"a  b\\u00e9"]}',
    });
  });

  test('keeps NaN and Infinity, which strict JSON has not', () => {
    const { found, problems } = textOf('{"event": "score", "score": {"value": NaN}, "x": -Infinity}');
    expect(found).toEqual({ tag: 'score', json: '{"event":"score","score":{"value":NaN},"x":-Infinity}' });
    expect(problems).toEqual([]);
  });

  test.each(['{"event": "info"', '[1, 2]', '', '{"event": 1}', '{}'])(
    'that is damaged (%s) is a problem',
    (data) => {
      const { found, problems } = textOf(data);
      expect(found).toBeUndefined();
      expect(problems).toMatchObject([{ code: 'E_BUFFER_ROW' }]);
    },
  );
});

test('rows that are only in the WAL are read, and not a byte is changed', async () => {
  await using dir = await makeTempDir();
  const made = join(dir.path, 'made.db');
  const db = new DatabaseSync(made);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  fillBuffer(db, { samples: [row(1)], events: [{ event: madeEvent('info') }] });
  const path = join(dir.path, 'log.eval.1.db');
  await copyFile(made, path);
  await copyFile(`${made}-wal`, `${path}-wal`);
  db.close();
  const before = [await readFile(path), await readFile(`${path}-wal`)];
  expect(before[0]?.includes('samples')).toBe(false);
  const reader = await openBufferDatabase(nodeDisk, path, { scratchDir: dir.path });
  expect(reader.samples()).toHaveLength(1);
  expect(reader.eventRows(ONE)).toHaveLength(1);
  await reader.close();
  expect([await readFile(path), await readFile(`${path}-wal`)]).toEqual(before);
  expect((await readdir(dir.path)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a database that may not be opened is told from one that is damaged', () => {
  const error = Object.assign(new Error('unable to open database file'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 14,
  });
  expect(explainBufferError(error, 'x.db')).toMatchObject({ code: 'E_BUFFER_UNREADABLE' });
  expect(explainBufferError(Object.assign(error, { errcode: 11 }), 'x.db')).toMatchObject({
    code: 'E_BUFFER_DAMAGED',
  });
});
