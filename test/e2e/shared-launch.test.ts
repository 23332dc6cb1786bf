/** Workers that commands start with a run and stop when it is over, whatever became of it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, jsonOf, PROGRAM } from './holdfast.ts';
import {
  allAnswers,
  commitAll,
  sharedProject,
  untilBought,
  untilGone,
  untilStored,
} from './shared-project.ts';

const redis = useRedis();
const TWO_MODELS = ['-m', 'mock/echo', '-m', 'mock/fixed:x'];

describe.skipIf(redisObstacle !== undefined)(onRedis('workers that are launched by command'), () => {
  /** Local processes, found by their label; `stops` has a line for each time that they were stopped. */
  async function launchable(
    samples: number,
    env: Readonly<Record<string, string>> = {},
    more: { readonly start?: string; readonly stop?: string } = {},
  ) {
    const project = await sharedProject({ samples, queue: redis.url(), env });
    const launch = {
      ...{ kind: 'command', workers: 2, slots: 2, program: `${process.execPath} ${PROGRAM}` },
      start: `${more.start ?? ''}
        for i in $(seq {workers}); do ( {command} --dir "$LEDGER.w$i" > "$LEDGER.out$i" 2>&1 & ) ; done`,
      stop: `echo {label} >> "$LEDGER.stops"; pkill -f -- '--label {label}'; ${more.stop ?? 'true'}`,
    };
    writeFileSync(join(project.path, 'holdfast.config.json'), JSON.stringify({ launch: { here: launch } }));
    commitAll(project.path);
    const linesOf = (what: string) => {
      const path = `${project.env.LEDGER}.${what}`;
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
    };
    return Object.assign(project, { stops: () => linesOf('stops') });
  }

  const SUBMIT = ['submit', 'shared.eval.ts', '--launch', 'here', '--json'];

  test('start with the run, run it, and are stopped once at its end', async () => {
    await using project = await launchable(6);
    const report = jsonOf(await project.holdfast(SUBMIT));
    expect(report).toMatchObject({ exitCode: 0, runs: [{ home: { samples: { completed: 6 } } }] });
    expect(project.stops()).toHaveLength(1);
    await untilGone(project.pids());
    expect(project.bought().sort()).toEqual(allAnswers(6));
  });

  test('run all runs of a submit, and are stopped when the last is over', async () => {
    await using project = await launchable(6, { LATENCY: '100' });
    const report = jsonOf(await project.holdfast([...SUBMIT, ...TWO_MODELS]));
    expect(report).toMatchObject({
      exitCode: 0,
      runs: [{ home: { samples: { completed: 6 } } }, { home: { samples: { completed: 6 } } }],
    });
    expect(project.stops()).toHaveLength(1);
  });

  test('[SHR-14] that were launched for two runs go on until the last of them is over, whoever ends it and wherever', async () => {
    await using project = await launchable(12);
    project.hold(2);
    const submitted = jsonOf(await project.holdfast([...SUBMIT, ...TWO_MODELS, '--detach']));
    expect(submitted).toMatchObject({ exitCode: 0, launched: [{ outcome: 'running' }] });
    const [first, second] = submitted.runs;
    await untilBought(project, 2);
    await using elsewhere = await makeTempDir();
    const cancel = async ({ run }: { readonly run: string }) =>
      jsonOf(await holdfast(elsewhere.path, ['runs', 'cancel', run, '--json'], project.env));
    expect(await cancel(first)).toMatchObject({ exitCode: 0, launched: [{ outcome: 'running' }] });
    expect(project.stops()).toHaveLength(0);
    const more = project.bought().length + 6;
    project.hold(more);
    await untilBought(project, more);
    // Its record lies with the first run.
    expect(await cancel(second)).toMatchObject({ exitCode: 0, launched: [{ outcome: 'stopped' }] });
    expect(project.stops()).toHaveLength(1);
    await untilGone(project.pids());
  });

  test('that cannot be launched leave nothing in the queue: the run is cancelled, and resume launches them', async () => {
    await using project = await launchable(
      4,
      {},
      { start: 'test -e "$LEDGER.quota" || { echo no quota >&2; exit 1; }' },
    );
    // Somebody else's worker is there: it must not work, unseen, on what was said to have failed.
    project.hold(2);
    const other = await project.worker();
    const failed = jsonOf(await project.holdfast(SUBMIT));
    expect(failed).toMatchObject({ exitCode: 1, error: { code: 'E_LAUNCH_START' } });
    const { run, state } = jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs[0];
    expect(state).toBe('cancelled');
    expect(failed.error.message).toContain('no quota');
    expect(failed.error.hint).toContain(`holdfast runs resume ${run} --launch here`);
    other.child.kill('SIGTERM');
    await other.ended;
    project.letGo();
    const again = jsonOf(await project.holdfast(['runs', 'resume', run, '--launch', 'here', '--json']));
    expect(again).toMatchObject({ exitCode: 1, error: { code: 'E_LAUNCH_START' } });
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json'])).state).toBe('cancelled');
    writeFileSync(`${project.env.LEDGER}.quota`, '');
    const argv = ['runs', 'resume', run, '--launch', 'here', '--launch-workers', '1', '--json'];
    expect(jsonOf(await project.holdfast(argv))).toMatchObject({
      exitCode: 0,
      runs: [{ run, round: 3, eval: 'shared', samples: 4, state: 'complete', end: 'complete' }],
      launched: [{ workers: 1, started: 1, outcome: 'stopped' }],
    });
    const idle = jsonOf(await project.holdfast(argv));
    expect(idle, 'nothing is due').toMatchObject({ exitCode: 0, launched: [] });
    const refused = jsonOf(
      await project.holdfast(['runs', 'resume', run, '--launch-workers', '1', '--json']),
    );
    expect(refused).toMatchObject({ exitCode: 2, error: { code: 'E_USAGE' } });
  });

  test('Ctrl-C while they are started starts no more, and leaves nothing in the queue', async () => {
    await using project = await launchable(2, {}, { start: 'touch "$LEDGER.begun"; sleep 30' });
    const submit = project.start(SUBMIT);
    await submit.said('submitted');
    while (!existsSync(`${project.env.LEDGER}.begun`))
      await new Promise((resolve) => setTimeout(resolve, 50));
    submit.child.kill('SIGINT');
    expect(jsonOf(await submit.ended)).toMatchObject({ exitCode: 4, runs: [{ state: 'cancelled' }] });
    expect(project.stops()).toHaveLength(1);
    expect(project.bought()).toEqual([]);
  });

  test('go on when whoever waits gives up waiting, and are stopped by whoever waits next', async () => {
    await using project = await launchable(8);
    project.hold(2);
    const ended = await project.holdfast([...SUBMIT, '--timeout', '2s']);
    const report = jsonOf(ended);
    expect(report).toMatchObject({
      exitCode: 8,
      runs: [{ end: 'timed-out' }],
      launched: [{ kind: 'command', name: 'here', workers: 2, outcome: 'running' }],
    });
    const { run } = report.runs[0];
    expect(ended.stderr).toContain(`holdfast launch stop ${run} --bucket ${project.bucket}`);
    expect(project.stops()).toHaveLength(0);
    project.letGo();
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({
      exitCode: 0,
      status: { samples: { completed: 8 } },
      launched: [{ outcome: 'stopped' }],
    });
    expect(project.stops()).toHaveLength(1);
    expect(project.bought().sort()).toEqual(allAnswers(8));
  });

  test('that others had launched for the run are stopped as well when it is over', async () => {
    await using project = await launchable(12);
    project.hold(2);
    const { run } = jsonOf(await project.holdfast([...SUBMIT, '--detach'])).runs[0];
    const more = ['runs', 'resume', run, '--launch', 'here', '--launch-workers', '1', '--json'];
    const resumed = project.start(more);
    await untilStored(project, 'launched/0002', 1);
    project.letGo();
    expect(jsonOf(await resumed.ended)).toMatchObject({
      exitCode: 0,
      runs: [{ end: 'complete' }],
      launched: [
        { label: expect.stringMatching(/-0002$/), outcome: 'stopped' },
        { label: expect.stringMatching(/-0001$/), outcome: 'stopped' },
      ],
    });
    expect(project.stops()).toHaveLength(2);
  });

  test('that cannot be stopped end the command with 1, and are in its document', async () => {
    await using project = await launchable(2, {}, { stop: 'echo no route >&2; exit 1' });
    const failed = { outcome: 'failed', error: { code: 'E_LAUNCH_STOP' } };
    const attached = jsonOf(await project.holdfast(SUBMIT));
    expect(attached).toMatchObject({ exitCode: 1, runs: [{ exitCode: 0 }], launched: [failed] });
    const { run } = attached.runs[0];
    for (const command of ['wait', 'fetch', 'cancel'])
      expect(jsonOf(await project.holdfast(['runs', command, run, '--json'])), command).toMatchObject({
        exitCode: 1,
        launched: [failed],
      });
    expect(project.stops()).toHaveLength(4);
  });

  test('submit, submit --detach and resume say the same of a run', async () => {
    await using project = await launchable(2);
    const detached = jsonOf(await project.holdfast([...SUBMIT, '--detach']));
    const { run } = detached.runs[0];
    const resumed = jsonOf(await project.holdfast(['runs', 'resume', run, '--json']));
    const again = jsonOf(await project.holdfast(['runs', 'resume', run, '--detach', '--json']));
    const attached = jsonOf(await project.holdfast([...SUBMIT, '--fresh']));
    const { round: _, state: __, due: ___, ...said } = detached.runs[0];
    expect(said).toEqual({
      ...{ run, eval: 'shared', target: 'none/none', samples: 2, bundle: expect.any(String) },
    });
    for (const { runs } of [resumed, again]) expect(runs).toMatchObject([said]);
    for (const { runs } of [attached, resumed])
      expect(runs).toMatchObject([
        { state: 'complete', end: 'complete', exitCode: 0, log: expect.stringMatching(/\.eval$/) },
      ]);
    expect(Object.keys(attached.runs[0]).sort()).toEqual(Object.keys(resumed.runs[0]).sort());
  });

  test('are stopped by cancel from a machine that has the bucket alone, and give back what they have', async () => {
    await using project = await launchable(12);
    project.hold(2);
    const { run } = jsonOf(await project.holdfast([...SUBMIT, '--detach'])).runs[0];
    await untilBought(project, 2);
    await using elsewhere = await makeTempDir();
    const { HOLDFAST_QUEUE: _, ...env } = project.env;
    expect(jsonOf(await holdfast(elsewhere.path, ['runs', 'cancel', run, '--json'], env))).toMatchObject({
      state: 'cancelled',
    });
    expect(project.stops()).toHaveLength(1);
    await untilGone(project.pids());
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({
      state: 'cancelled',
      inFlight: [],
    });
  });

  test('are stopped when whoever submitted is told to stop, and nothing is lost', async () => {
    await using project = await launchable(12);
    project.hold(2);
    const submit = project.start(SUBMIT);
    await untilBought(project, 2);
    submit.child.kill('SIGINT');
    expect(jsonOf(await submit.ended)).toMatchObject({ exitCode: 4, runs: [{ end: 'interrupted' }] });
    expect(project.stops()).toHaveLength(1);
    await untilGone(project.pids());
    const { run } = jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs[0];
    project.letGo();
    await project.worker();
    expect(jsonOf(await project.holdfast(['runs', 'resume', run, '--json']))).toMatchObject({
      exitCode: 0,
      runs: [{ home: { samples: { completed: 12 }, lostResults: [] } }],
    });
    expect(new Set(project.bought())).toEqual(new Set(allAnswers(12)));
  });

  test('a launch that the settings do not know is refused before anything is uploaded', async () => {
    await using project = await launchable(2);
    const refused = await project.holdfast(['submit', 'shared.eval.ts', '--launch', 'nowhere', '--json']);
    expect(jsonOf(refused)).toMatchObject({ exitCode: 2 });
    expect(existsSync(join(project.bucket, '.holdfast/shared'))).toBe(false);
  });
});
