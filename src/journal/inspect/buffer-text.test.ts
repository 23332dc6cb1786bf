import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  LOG_NAME,
  madeEvent,
  placeCrashedLog,
  placeDatabase,
  placeFilestore,
  segmentEvent,
} from '../../../test/sim/inspect-buffer.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { directoryBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { findFilestore, openBufferDatabase, spoolFilestore } from '../index.ts';
import { decodeJsonText, decodeText, encodeText } from './buffer-text.ts';

const hasPython = await promisify(execFile)('python3', ['--version']).then(Boolean, () => false);

const dir = useTempDir();

/** A NUL in the middle, and a letter of four bytes. */
const HOSTILE = 'before\0after 😀 end';
const WITH_PYTHON = `
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE attachments SET content = ?", ("x\\0y" * 40,))
connection.commit()
connection.close()
`;
const key = { id: 'a\0b', epoch: 1 };

const place = () =>
  placeDatabase(
    { dataDir: dir.path, logDir: dir.path },
    {
      samples: [{ summary: { id: key.id, epoch: 1, input: 'q\0q' }, metadata: { note: 'm\0m' } }],
      events: [{ sample: key.id, id: 'e\0e', event: madeEvent('info', { data: HOSTILE }) }],
      messages: [{ sample: key.id, key: 'm\0m', data: { role: 'user', content: HOSTILE } }],
      attachments: [{ sample: key.id, hash: 'abc', text: 'before\0after' }],
    },
  );

async function open(path: string) {
  return openBufferDatabase(nodeDisk, path, { scratchDir: dir.path });
}

describe('texts of a database', () => {
  test('with a NUL are whole, in every column', async () => {
    const reader = await open(await place());
    expect(reader.samples()).toMatchObject([{ id: key.id, epoch: 1 }]);
    expect(reader.summary(key)).toMatchObject({ input: 'q\0q' });
    expect(reader.metadata(key)).toEqual({ note: 'm\0m' });
    expect(reader.eventRows(key)).toEqual([{ row: 1, eventId: 'e\0e' }]);
    expect(JSON.parse(reader.event(1)?.json ?? '')).toMatchObject({ data: HOSTILE });
    expect(reader.poolRows(key, 'message')).toEqual([{ row: 1, key: 'm\0m' }]);
    expect(JSON.parse(reader.poolText('message', 1) ?? '')).toMatchObject({ content: HOSTILE });
    expect(reader.attachment(key, 'abc')).toBe('before\0after');
    expect([...reader.attachments(key)]).toEqual([{ hash: 'abc', text: 'before\0after' }]);
    expect(reader.problems).toEqual([]);
    await reader.close();
  });

  test('that are no UTF-8 keep what can be read of them', async () => {
    const path = await place();
    const db = new DatabaseSync(path);
    // Half of a surrogate pair as some writers encode it, then a byte that is nothing at all.
    const bytes = Buffer.from([0x61, 0xed, 0xa0, 0xbd, 0x62, 0xff, 0x63]);
    const hex = bytes.toString('hex');
    db.exec(`UPDATE attachments SET content = CAST(x'${hex}' AS TEXT)`);
    const json = Buffer.concat([Buffer.from('{"event":"info","data":"'), bytes, Buffer.from('"}')]).toString(
      'hex',
    );
    db.exec(`UPDATE events SET data = CAST(x'${json}' AS TEXT)`);
    db.close();
    const reader = await open(path);
    expect(reader.attachment(key, 'abc')).toBe('a\ud83db\ufffdc');
    const text = reader.event(1)?.json ?? '';
    expect(text.isWellFormed()).toBe(true);
    expect(JSON.parse(text)).toEqual({ event: 'info', data: 'a\ud83db\ufffdc' });
    await reader.close();
  });

  test.skipIf(!hasPython)('written by Python are whole (needs python3)', async () => {
    const path = await place();
    await promisify(execFile)('python3', ['-c', WITH_PYTHON, path]);
    const reader = await open(path);
    expect(reader.attachment(key, 'abc')).toBe('x\0y'.repeat(40));
    await reader.close();
  });
});

test('texts of segments come through as well', async () => {
  const logDir = join(dir.path, 'logs');
  await placeCrashedLog(join(logDir, LOG_NAME));
  const event = segmentEvent(1, madeEvent('info', { data: HOSTILE }), key.id);
  const message = {
    id: 1,
    sample_id: key.id,
    epoch: 1,
    msg_id: 'm',
    data: JSON.stringify({ content: HOSTILE }),
  };
  const attachment = { id: 1, sample_id: key.id, epoch: 1, hash: 'abc', content: HOSTILE };
  await placeFilestore(logDir, {
    segments: { 1: { 'x.json': { events: [event], message_pool: [message], attachments: [attachment] } } },
  });
  const prefix = `.buffer/${LOG_NAME.replace('.eval', '')}/`;
  const filestore = await findFilestore(directoryBucket(nodeDisk, logDir), prefix);
  if (!filestore) throw new Error('there is no filestore');
  const reader = await spoolFilestore(nodeDisk, filestore, { scratchDir: dir.path });
  expect(JSON.parse(reader.event(1)?.json ?? '')).toMatchObject({ data: HOSTILE });
  expect(JSON.parse(reader.poolText('message', 1) ?? '')).toEqual({ content: HOSTILE });
  expect(reader.attachment(key, 'abc')).toBe(HOSTILE);
  await reader.close();
});

test('law: what is encoded is decoded to the same text, whatever it is', () => {
  const units = fc.array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xd83d, 0xde00)), { maxLength: 20 });
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes);
      const encoded = encodeText(text);
      const bytes = typeof encoded === 'string' ? Buffer.from(encoded, 'utf8') : encoded;
      expect(decodeText(bytes)).toBe(text);
      expect(JSON.parse(decodeJsonText(Buffer.from(JSON.stringify(text))) ?? '')).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});
