import { expect, test } from 'vitest';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { createFile } from '../disk/index.ts';
import { StateDir } from '../journal/index.ts';
import { keepJournals, releaseRun, setRunAside } from './index.ts';

test('[SEAL-5] a run that is set aside twice is kept twice', async () => {
  const disk = new SimulatedDisk();
  const state = new StateDir('/state');
  const runId = '20260101T000000000-0123456789';
  const places: string[] = [];
  for (const text of ['first', 'second']) {
    await disk.makeDir(state.runDir(runId));
    await createFile(disk, `${state.runDir(runId)}/journal.db`, Buffer.from(text));
    places.push(await setRunAside(disk, state, runId));
    expect(await disk.stat(state.runDir(runId))).toBeUndefined();
  }
  const kept = await Promise.all(places.map((place) => disk.read(`${place}/journal.db`)));
  expect(kept.map((bytes) => Buffer.from(bytes ?? []).toString())).toEqual(['first', 'second']);
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
