import { expect, test } from 'vitest';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { createFile } from '../disk/index.ts';
import { StateDir } from '../journal/index.ts';
import { keepJournals, releaseRun, setRunAside } from './index.ts';

const state = new StateDir('/state');
const runId = '20260101T000000000-0123456789';

/** A run whose one journal holds a text. */
async function begin(disk: SimulatedDisk, text: string): Promise<void> {
  await disk.makeDir(state.runDir(runId));
  await createFile(disk, `${state.runDir(runId)}/journal.db`, Buffer.from(text));
}

async function textIn(disk: SimulatedDisk, place: string): Promise<string> {
  return Buffer.from((await disk.read(`${place}/journal.db`)) ?? []).toString();
}

test('[SEAL-5] a run that is set aside again and again is kept each time', async () => {
  const disk = new SimulatedDisk();
  const texts = ['first', 'second', 'third'];
  const places: string[] = [];
  for (const text of texts) {
    await begin(disk, text);
    places.push(await setRunAside(disk, state, runId));
    expect(await disk.stat(state.runDir(runId))).toBeUndefined();
    // What others set aside, or somebody removes, changes no name.
    await disk.makeDir(`/state/damaged/other-${text}`);
    await disk.removeTree('/state/damaged/other-first');
  }
  expect(places.map((place) => place.replace(runId, '…'))).toEqual([
    '/state/damaged/…',
    '/state/damaged/…-2',
    '/state/damaged/…-3',
  ]);
  expect(await Promise.all(places.map((place) => textIn(disk, place)))).toEqual(texts);
});

test('[SEAL-5] a place that another process takes just now stays as it is', async () => {
  const disk = new SimulatedDisk();
  await begin(disk, 'ours');
  const late = withMethods(disk, {
    rename: async (from, to) => {
      if (to === state.damagedDir(runId)) {
        await disk.makeDir(to);
        await createFile(disk, `${to}/journal.db`, Buffer.from('theirs'));
      }
      return disk.rename(from, to);
    },
  });
  const place = await setRunAside(late, state, runId);
  expect(await textIn(disk, place)).toBe('ours');
  expect(await textIn(disk, state.damagedDir(runId))).toBe('theirs');
});

test('[SEAL-3] journals that somebody asked to keep are moved, each time, and never removed', async () => {
  const disk = new SimulatedDisk();
  const state = new StateDir('/state');
  const runId = '20260101T000000000-0123456789';
  for (const text of ['first', 'second']) {
    await disk.makeDir(state.runDir(runId));
    await createFile(disk, `${state.runDir(runId)}/journal.db`, Buffer.from(text));
    await keepJournals(disk, state, runId);
    await releaseRun(disk, state, runId);
    expect(await disk.stat(state.runDir(runId))).toBeUndefined();
  }
  const places = [state.keptDir(runId), `${state.keptDir(runId)}-2`];
  const kept = await Promise.all(places.map((place) => disk.read(`${place}/journal.db`)));
  expect(kept.map((bytes) => Buffer.from(bytes ?? []).toString())).toEqual(['first', 'second']);
});
