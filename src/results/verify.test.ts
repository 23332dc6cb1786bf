import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  git,
  gitInput,
  initRepository,
  openResults,
  runIdAt,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { RESULTS_REF } from './layout.ts';

const dir = useTempDir();
let repo: string;
let logs: string;
beforeEach(() => {
  [repo, logs] = [join(dir.path, 'repo'), join(dir.path, 'logs')];
  mkdirSync(logs);
  initRepository(repo);
});

const RUN = runIdAt('2026-03-04T05:06:07Z');

/** Writes a commit that no command of ours would make. */
function tamper(...lines: string[]): void {
  gitInput(
    repo,
    `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${RESULTS_REF}^0\n${lines.join('\n')}\n`,
  );
}

test('[RES-7] a document that was changed, taken away or added is noticed by the digest of all', async () => {
  await using results = await openResults(repo);
  await results.publish(await writeRun(logs, RUN));
  const folder = `runs/2026-03-04/${RUN}`;
  expect(await results.store.verify(RUN)).toMatchObject({ revisions: 1, problems: [] });
  const whole = git(repo, 'rev-parse', RESULTS_REF);
  for (const change of [
    [`M 100644 inline ${folder}/log/summaries.json`, 'data 2', '[]'],
    [`D ${folder}/log/reductions.json`],
    [`M 100644 inline ${folder}/log/more.json`, 'data 2', '{}'],
  ]) {
    tamper(...change);
    expect((await results.store.verify(RUN))?.problems, change[0]).toMatchObject([
      { run: RUN, message: expect.stringContaining('not those') },
    ]);
    git(repo, 'update-ref', RESULTS_REF, whole);
  }
  expect(await results.store.verify(runIdAt('2026-03-04T05:06:08Z'))).toBeUndefined();
});

test('a row that cannot be read is a problem of its run', async () => {
  await using results = await openResults(repo);
  await results.publish(await writeRun(logs, RUN));
  tamper(`M 100644 inline runs/2026-03-04/${RUN}/run.json`, 'data 2', '{]');
  expect(await results.store.verify(RUN)).toMatchObject({ revisions: 0, problems: [{ run: RUN }] });
});
