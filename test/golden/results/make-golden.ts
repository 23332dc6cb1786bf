/**
 * Makes the golden results of version 1 (see README.md). What is there already is never made again: it is data of a released
 * version.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ResultsPorts } from '../../../src/results/change-results.ts';
import { publishLog } from '../../../src/results/publish-log.ts';
import { removeRun, tagRun, untagRun } from '../../../src/results/say.ts';
import { fixtureFields } from '../../sim/log-fixture.ts';
import { git, initRepository, openResults, runOfDay, withLog, writeRun } from '../../sim/results-repo.ts';
import { describeResults } from './golden-results.ts';

const HERE = join(import.meta.dirname, 'v1');
const BY = { user: 'ada', host: 'engine' };

if (!existsSync(HERE)) {
  const scratch = await mkdtemp(join(tmpdir(), 'golden-results-'));
  await make(scratch);
  rmSync(scratch, { recursive: true });
}

async function make(dir: string): Promise<void> {
  const [repo, logs] = [join(dir, 'repo'), join(dir, 'logs')];
  initRepository(repo);
  mkdirSync(logs);
  await using results = await openResults(repo);
  const ports: ResultsPorts = { ...results.ports, by: BY };
  const publish = (path: string, with_: ResultsPorts = ports) =>
    withLog(path, (log) => publishLog(log, basename(path), with_));
  await publish(await writeRun(logs, runOfDay(1)));
  await publish(await writeRun(logs, runOfDay(1), { header: { tags: ['scored', 'again'] } }));
  await publish(await writeRun(logs, runOfDay(2), nastySamples()));
  await publish(await writeRun(logs, runOfDay(3)), { ...ports, bodies: { kept: 'summary' } });
  await publish(await writeRun(logs, runOfDay(4)));
  await tagRun(results.store, [runOfDay(1), runOfDay(2)], ['baseline', 'naïve – tag']);
  await untagRun(results.store, [runOfDay(1)], ['again']);
  await results.store.say([runOfDay(2)], () => [
    { kind: 'note', text: 'odd', anchor: { sample: 'a/b c?', epoch: 1 } },
    { kind: 'verdict', verdict: 'fail', text: 'it guessed', anchor: { sample: '1', epoch: 1 } },
  ]);
  await removeRun(results.store, [runOfDay(4)], 'wrong key');
  mkdirSync(HERE, { recursive: true });
  git(repo, 'bundle', 'create', '--quiet', join(HERE, 'results.bundle'), 'holdfast/results');
  writeFileSync(join(HERE, 'expected.json'), `${JSON.stringify(await describeResults(results), null, 1)}\n`);
}

/** Ids that are no file names, and a text that git would take for one of its own. */
function nastySamples() {
  const ids = ['1', 'a/b c?', '..', '.git', 'ü\u0301', 'x'.repeat(200)];
  return { samples: ids.map((id) => ({ fields: fixtureFields(id), events: [] })) };
}
