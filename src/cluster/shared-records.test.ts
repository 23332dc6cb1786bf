import { describe, expect, test } from 'vitest';
import { sampleJob } from './shared-keys.ts';
import { decodeShared, encodeShared, type LeaseEnded } from './shared-records.ts';

const END: LeaseEnded = {
  format: 'holdfast-lease-end',
  version: 1,
  run: '20261118T120000-r',
  job: sampleJob(17),
  n: 2,
  round: 1,
  status: 'completed',
  by: 'worker-a',
  at: '2026-11-18T12:00:00+00:00',
  origin: '20261118T120000-r/w1/4',
  usd: 0.25,
};

describe('[SHR-27] the checksum of a record', () => {
  test('whatever bit flips, it is damaged or says the same', () => {
    const whole = encodeShared('ended', END);
    let noticed = 0;
    for (let at = 0; at < whole.length * 8; at++) {
      const flipped = Uint8Array.from(whole);
      flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (1 << (at & 7));
      const read = tryDecode(flipped);
      if (read === 'E_SHARED_DAMAGED') noticed++;
      else expect(read, `bit ${at}`).toEqual(END);
    }
    // Only in the checksum itself a flip may go unseen: what is said is whole.
    expect(noticed).toBeGreaterThan((whole.length - '"sum":"00000000"'.length) * 8);
  });

  test('a record that was written without one is read', () => {
    expect(decodeShared('ended', Buffer.from(`${JSON.stringify(END)}\n`), 'key')).toEqual(END);
  });
});

function tryDecode(bytes: Uint8Array): LeaseEnded | string {
  try {
    return decodeShared('ended', bytes, 'key');
  } catch (error) {
    return String(Reflect.get(Object(error), 'code'));
  }
}
