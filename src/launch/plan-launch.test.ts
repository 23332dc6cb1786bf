import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  LABEL,
  linesIn,
  placeIn,
  portsIn,
  RUN,
  requestIn,
  SECRET,
} from '../../test/sim/launch/launch-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type HoldfastConfig, readConfigValue } from '../config/index.ts';
import { envText } from './env-text.ts';
import { fillTemplate } from './fill-template.ts';
import { checkLaunch, launchedFor, readEnvFile, startWorkers, stopWorkers } from './index.ts';

const DEPLOY = join(import.meta.dirname, '../../examples/deploy');

/** The settings that users start from. */
function exampleConfig(): HoldfastConfig {
  const { config, problems } = readConfigValue(
    parse(readFileSync(join(DEPLOY, 'holdfast.config.yaml'), 'utf8')),
  );
  expect(problems).toBeUndefined();
  return config ?? {};
}

/** Programs of a cluster that write down what they were told. */
async function withPrograms(dir: string) {
  const bin = join(dir, 'bin');
  const ports = portsIn(dir);
  await ports.disk.makeDir(bin);
  for (const name of ['kubectl', 'sbatch', 'scancel']) {
    const path = join(bin, name);
    writeFileSync(
      path,
      `#!/bin/sh\necho "$0 $*" | sed 's#.*/##' >> ${dir}/told\ncat > ${dir}/${name}.stdin\n`,
    );
    chmodSync(path, 0o755);
  }
  const env = { ...ports.env, PATH: `${bin}${delimiter}${ports.env.PATH}` };
  const stdinOf = (name: string) => readFileSync(join(dir, `${name}.stdin`), 'utf8');
  return { ports: { ...ports, env, cwd: DEPLOY }, told: () => linesIn(join(dir, 'told')), stdinOf };
}

const worker = (program: string, bucket: string, slots: number) =>
  `${program} worker --queue redis://queue:6379/0 --bucket ${bucket} --label ${LABEL} --launched-for ${RUN} --idle-exit 15m --max-runtime 24h --slots ${slots}`;

describe('the files of examples/deploy', () => {
  test('Kubernetes: the manifest is filled in, applied, and its Job deleted by its label', async () => {
    await using dir = await makeTempDir();
    const { ports, told, stdinOf } = await withPrograms(dir.path);
    const request = requestIn(dir.path, exampleConfig().launch, { wanted: 'kubernetes' });
    const launched = await startWorkers(request, ports);
    const manifest = parse(stdinOf('kubectl'));
    const labels = { 'holdfast-run': LABEL };
    expect(manifest).toMatchObject({
      ...{ apiVersion: 'batch/v1', kind: 'Job' },
      metadata: { name: LABEL, labels },
      spec: { completions: 8, parallelism: 8, template: { metadata: { labels } } },
    });
    const [container] = manifest.spec.template.spec.containers;
    expect(container.args).toEqual([`exec ${worker('holdfast', join(dir.path, 'bucket'), 8)}\n`]);
    expect(stdinOf('kubectl')).not.toMatch(/\{(label|workers|run|command)\}/);
    const [stopped] = await stopWorkers(placeIn(dir.path), RUN, ports);
    expect(stopped?.outcome).toBe('stopped');
    expect(launched.started).toBe(8);
    const options = '--context evals --namespace evals';
    expect(told()).toEqual([
      `kubectl ${options} apply -f -`,
      `kubectl ${options} delete job -l holdfast-run=${LABEL} --ignore-not-found`,
    ]);
  });

  test('Slurm: the script is filled in, given to sbatch under the label, and cancelled by it', async () => {
    await using dir = await makeTempDir();
    const { ports, told, stdinOf } = await withPrograms(dir.path);
    const request = requestIn(dir.path, exampleConfig().launch, { wanted: 'hpc', workers: 3 });
    const launched = await startWorkers(request, ports);
    const written = readFileSync(join(DEPLOY, 'slurm-workers.sh'), 'utf8');
    const expected = written
      .replaceAll('{workers}', '3')
      .replaceAll('{label}', LABEL)
      .replace('{command}', worker('npx holdfast', join(dir.path, 'bucket'), 4));
    expect(stdinOf('sbatch')).toBe(expected);
    // Variables of the shell stay.
    expect(expected).toMatch(/cd "\$\{HOME\}\/project"/);
    expect((await launched.stop()).outcome).toBe('stopped');
    expect(told()).toEqual([`sbatch --partition=short --job-name=${LABEL}`, `scancel --name=${LABEL}`]);
  });

  test('every launch of the settings can be launched, and none holds a key', async () => {
    await using dir = await makeTempDir();
    const { launch } = exampleConfig();
    expect(Object.values(launch ?? {}).map(({ kind }) => kind)).toEqual([
      'ssh',
      'kubernetes',
      'slurm',
      'command',
    ]);
    for (const wanted of Object.keys(launch ?? {}))
      await checkLaunch(requestIn(dir.path, launch, { wanted }), { ...portsIn(dir.path), cwd: DEPLOY });
  });
});

describe('refused before anything is started', () => {
  const refusedWith = async (
    launches: HoldfastConfig['launch'],
    more: object,
    file?: readonly [string, string],
  ) => {
    await using dir = await makeTempDir();
    if (file) writeFileSync(join(dir.path, file[0]), file[1]);
    const request = requestIn(dir.path, launches, more);
    const error: unknown = await startWorkers(request, portsIn(dir.path)).catch((thrown: unknown) => thrown);
    expect(await launchedFor(request.place, RUN)).toEqual([]);
    return error;
  };
  const ssh = (...hosts: string[]) => ({ kind: 'ssh' as const, hosts });

  test.each([
    ['command', { kind: 'command' as const, start: 'true', stop: 'true' }, true],
    ['ssh that copies keys', { ...ssh('a'), copyEnv: true }, true],
    ['ssh with keys of its own', { ...ssh('a'), envFile: '~/keys' }, false],
  ])('%s: a key that workers would have from here and that is not here', async (_, own, isRefused) => {
    await using dir = await makeTempDir();
    const request = { ...requestIn(dir.path, { own }), keys: ['STAND_IN_KEY', 'OTHER_KEY'] };
    const checked = checkLaunch(request, portsIn(dir.path)).then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    );
    const refused = { code: 'E_LAUNCH_ENV', message: expect.stringContaining('and OTHER_KEY is not set') };
    if (isRefused) expect(await checked).toMatchObject(refused);
    else expect(await checked).toBeUndefined();
  });

  test.each([
    ['no launch at all', undefined, 'lab', 'name no launch'],
    ['a name that was misspelt', { lab: ssh('a') }, 'lba', 'did you mean "lab"?'],
    ['a kind of which there are two', { lab: ssh('a'), other: ssh('b') }, 'ssh', 'lab, other'],
  ])('%s', async (_, launches, wanted, says) => {
    expect(await refusedWith(launches, { wanted })).toMatchObject({
      code: 'E_LAUNCH_UNKNOWN',
      message: expect.stringContaining(says),
    });
  });

  test('more workers than hosts', async () => {
    expect(await refusedWith({ lab: ssh('a', 'b') }, { workers: 3 })).toMatchObject({
      code: 'E_LAUNCH_WORKERS',
    });
  });

  const kube = { kube: { kind: 'kubernetes' as const, manifest: 'job.yaml' } };

  test('a manifest that is not there, or whose Job nobody would find again', async () => {
    expect(await refusedWith(kube, {})).toMatchObject({
      code: 'E_LAUNCH_TEMPLATE',
      message: expect.stringContaining('there is no such file'),
    });
    expect(await refusedWith(kube, {}, ['job.yaml', 'name: {label}\nrun: {command}\n'])).toMatchObject({
      code: 'E_LAUNCH_TEMPLATE',
      message: expect.stringContaining('holdfast-run: {label}'),
    });
  });

  test('a script without its first line', async () => {
    const hpc = { hpc: { kind: 'slurm' as const, script: 'x.sh' } };
    expect(await refusedWith(hpc, {}, ['x.sh', '{command}'])).toMatchObject({ code: 'E_LAUNCH_TEMPLATE' });
  });

  test('a manifest with a key in it', async () => {
    const text = `holdfast-run: {label}\nenv: '${SECRET}'\nrun: {command}\n`;
    expect(await refusedWith(kube, {}, ['job.yaml', text])).toMatchObject({ code: 'E_LAUNCH_SECRET' });
  });

  test('a word with a line break', async () => {
    const argv = ['worker', '--bucket', 'a\nb'];
    expect(await refusedWith({ lab: ssh('a') }, { argv })).toMatchObject({ code: 'E_LAUNCH_WORD' });
  });

  test('a key that no file of keys can hold', async () => {
    const lab = { lab: { ...ssh('a'), copyEnv: true } };
    for (const value of ['\'"`', 'a\nHOLDFAST_END_OF_ENV\nb'])
      expect(await refusedWith(lab, { secrets: { KEY: value } })).toMatchObject({ code: 'E_LAUNCH_ENV' });
  });
});

test('words are filled in wherever they stand, and variables of a shell stay', () => {
  const words = { label: 'l', workers: '2', run: 'r', command: 'holdfast worker $& $1' };
  const variable = ['$', '{label}'].join('');
  const text = `{label} ${variable} {workers}x{run} {other} {command}`;
  expect(fillTemplate(text, words)).toBe(`l ${variable} 2xr {other} holdfast worker $& $1`);
});

describe('files of keys', () => {
  test.each([
    'plain',
    'with space',
    `it's`,
    '"quoted"',
    'a\\nb',
    'two\nlines',
    '$HOME `x`',
    'a # b',
    '',
    ' x ',
  ])('%j is read back as it was written', (value) => {
    expect(parseEnv(envText({ KEY: value, NEXT: 'n' }))).toEqual({ KEY: value, NEXT: 'n' });
  });

  test('are read when only their owner may, and refused otherwise', async () => {
    await using dir = await makeTempDir();
    const path = join(dir.path, 'keys');
    await expect(readEnvFile(path)).rejects.toMatchObject({
      code: 'E_ENV_FILE',
      message: expect.stringContaining('There is no file'),
    });
    writeFileSync(path, `A=1\nB='two words'\n`, { mode: 0o600 });
    expect(await readEnvFile(path)).toEqual({ A: '1', B: 'two words' });
    chmodSync(path, 0o640);
    await expect(readEnvFile(path)).rejects.toMatchObject({
      code: 'E_ENV_FILE',
      message: expect.stringContaining('can be read by others'),
    });
  });
});
