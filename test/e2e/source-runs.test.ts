/** Runs of other places are runs: what can be listed can be opened, checked, compared and exported by its id. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addAgentv4, addAgentv5 } from '../sim/agentv-branch.ts';
import { filledJournal, runRecord } from '../sim/journal-fixture.ts';
import { initRepository, openResults, runOfDay, writeRun } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast } from './holdfast.ts';

/** A folder without results, a repository of AgentV and a folder of logs, one of them deeper. */
async function elsewhere() {
  const dir = await makeTempDir();
  const [agentv, logs, here] = ['agentv', 'logs-of-others', 'here'].map((name) => join(dir.path, name));
  for (const path of [agentv, logs, here]) mkdirSync(String(path));
  initRepository(String(agentv));
  addAgentv4(String(agentv), { time: '2026-01-05T00:00:00.000Z', experiment: 'other' });
  addAgentv5(String(agentv), { time: '2026-01-06T00:00:00.000Z' });
  mkdirSync(join(String(logs), 'deep'));
  await writeRun(String(logs), runOfDay(1));
  await writeRun(join(String(logs), 'deep'), runOfDay(2));
  const run = (...words: string[]) => holdfast(String(here), words, { HOME: dir.path });
  const ids = async (source: string) => {
    const { runs } = JSON.parse((await run('results', 'list', '--json', '--source', source)).stdout);
    return runs.map((one: { run: string }) => one.run) as string[];
  };
  return Object.assign(dir, { agentv: String(agentv), logs: String(logs), here: String(here), run, ids });
}

test('log show, dump, verify and export take runs of AgentV and of folders by their ids', async () => {
  await using dir = await elsewhere();
  const [id = ''] = await dir.ids(dir.agentv);
  const from = ['--source', dir.agentv];
  const shown = await dir.run('log', 'show', id, ...from);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toContain('echo');
  const dumped = await dir.run('log', 'dump', id.slice(id.indexOf('-') + 1), ...from);
  expect(JSON.parse(dumped.stdout).samples.length).toBeGreaterThan(0);
  expect((await dir.run('log', 'verify', id, ...from)).stdout).toContain('whole');
  const deep = await dir.run('log', 'show', `deep/${runOfDay(2)}.eval`, '--source', dir.logs);
  expect(deep.code, deep.stderr).toBe(0);
  const table = await dir.run(
    'log',
    'export',
    id,
    '--to',
    'csv',
    '--table',
    'runs',
    '--out',
    'a.csv',
    ...from,
  );
  expect(table.code, table.stderr).toBe(0);
  expect(readFileSync(join(dir.here, 'a.csv'), 'utf8')).toContain(id);
  // What no source has is looked for as before.
  expect((await dir.run('log', 'show', 'nobody', ...from)).code).toBe(2);
});

test('compare and results export take them, too, beside published runs', async () => {
  await using dir = await elsewhere();
  const [newest = '', oldest = ''] = await dir.ids(dir.agentv);
  const compared = await dir.run('compare', oldest, newest, '--source', dir.agentv, '--json');
  expect(compared.code, compared.stderr).toBe(0);
  const both = ['--source', dir.agentv, '--source', dir.logs];
  const one = await dir.run(
    'results',
    'export',
    newest,
    runOfDay(2),
    '--to',
    'eval',
    '--out',
    'made',
    ...both,
  );
  expect(one.code, one.stderr).toBe(0);
  expect(readdirSync(join(dir.here, 'made')).sort()).toEqual(
    [`${newest}.eval`, `${runOfDay(2)}.eval`].sort(),
  );
  expect((await dir.run('log', 'verify', `made/${newest}.eval`)).code).toBe(0);
  initRepository(dir.here);
  await using results = await openResults(dir.here);
  await results.publish(join(dir.logs, `${runOfDay(1)}.eval`));
  const all = await dir.run(
    'results',
    'export',
    '--to',
    'csv',
    '--table',
    'runs',
    '--out',
    'all.csv',
    ...both,
  );
  expect(all.code, all.stderr).toBe(0);
  const rows = readFileSync(join(dir.here, 'all.csv'), 'utf8').trim().split('\n').slice(1);
  const written = [newest, oldest, runOfDay(1), runOfDay(2)];
  expect(rows.map((row) => written.find((run) => row.includes(run))).sort()).toEqual(written.sort());
});

test('a run of which there are only journals is listed, and is no log yet', async () => {
  await using dir = await elsewhere();
  const journal = await filledJournal(join(dir.logs, '.holdfast'), runRecord());
  journal.close();
  const ids = await dir.ids(dir.logs);
  const id = ids.find((one) => one !== runOfDay(1) && one !== runOfDay(2)) ?? '';
  const shown = await dir.run('log', 'show', id, '--source', dir.logs, '--json');
  expect(JSON.parse(shown.stdout).error).toMatchObject({ code: 'E_RUN_NO_LOG' });
});
