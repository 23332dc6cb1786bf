/** Settings of a project, as a user meets them: where they are found, what wins, and what is said when they are wrong. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOG } from '../../src/cli/catalog.ts';
import { SETTINGS } from '../../src/cli/config/setting-list.ts';
import { git, initRepository } from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast, reportOf } from './holdfast.ts';

const EVAL = `name: x
target: mock/echo
data: [{ id: a, input: a secret, target: a }]
scorers: [includes]
`;

const dir = useTempDir();
const write = (path: string, text: string) => {
  mkdirSync(join(dir.path, path, '..'), { recursive: true });
  writeFileSync(join(dir.path, path), text);
};

interface Shown {
  readonly file: string | null;
  readonly settings: readonly { key: string; value: unknown; source: string; from?: string }[];
}

async function show(folder = '.', env: Record<string, string> = {}) {
  const { stdout, stderr, code } = await holdfast(join(dir.path, folder), ['config', 'show', '--json'], env);
  expect(code, stderr).toBe(0);
  const shown = JSON.parse(stdout) as Shown;
  return { file: shown.file, of: (key: string) => shown.settings.find((one) => one.key === key) };
}

describe('where settings are found', () => {
  const TEXTS = {
    ts: `import { defineConfig } from 'holdfast';\nconst n: number = 3;\nexport default defineConfig({ concurrency: n });\n`,
    js: `export default { concurrency: 3 };\n`,
    mjs: `import { defineConfig } from 'holdfast';\nexport default defineConfig({ concurrency: 3 });\n`,
    yaml: `concurrency: 3\n`,
    yml: `# nothing but this\nconcurrency: 3\n`,
    json: `{ "$schema": "x", "concurrency": 3 }\n`,
  };

  test.each(Object.entries(TEXTS))('holdfast.config.%s', async (ending, text) => {
    // What npm writes there does not matter.
    write('package.json', '{ "type": "commonjs" }');
    write(`holdfast.config.${ending}`, text);
    const { file, of } = await show();
    expect(file).toBe(`holdfast.config.${ending}`);
    expect(of('concurrency')).toMatchObject({ value: 3, source: 'file', from: `holdfast.config.${ending}` });
  });

  test('the nearest counts, alone, and none beyond the root of the repository; paths start where the file is', async () => {
    write('holdfast.config.yaml', 'concurrency: 1\n');
    initRepository(join(dir.path, 'repo'));
    write('repo/deep/er/x', '');
    expect((await show('repo/deep')).file).toBeNull();
    write('repo/holdfast.config.yaml', 'concurrency: 2\nlogDir: out\nbucket: file:///b\n');
    const above = await show('repo/deep');
    expect(above.of('logDir')?.value).toBe(join(dir.path, 'repo/out'));
    expect(above.of('bucket')?.value).toBe('file:///b');
    expect(above.of('segments')).toMatchObject({ value: 'file:///b', source: 'file' });
    write('repo/deep/holdfast.config.json', '{ "logDir": "../elsewhere/logs" }');
    const nearer = await show('repo/deep/er');
    expect(nearer.of('concurrency')).toMatchObject({ value: null, source: 'default' });
    expect(nearer.of('logDir')?.value).toBe(join(dir.path, 'repo/elsewhere/logs'));
    expect((await show('repo')).of('logDir')?.value).toBe('out');
  });
});

test('the command line wins over the environment, that over the file, that over the default', async () => {
  write('x.eval.yaml', EVAL);
  const made = () => readdirSync(dir.path).filter((name) => name.startsWith('logs'));
  const run = (flags: string[], env = {}) =>
    holdfast(dir.path, ['run', 'x.eval.yaml', '--quiet', ...flags], env);
  await run([]);
  expect(made()).toEqual(['logs']);
  write('holdfast.config.yaml', 'logDir: logs-file\n');
  await run([]);
  await run([], { HOLDFAST_LOG_DIR: 'logs-env' });
  await run(['--log-dir', 'logs-line'], { HOLDFAST_LOG_DIR: 'logs-env2' });
  expect(made()).toEqual(['logs', 'logs-env', 'logs-file', 'logs-line']);
  const listed = await holdfast(dir.path, ['log', 'list', '--json']);
  expect(JSON.parse(listed.stdout).dir).toBe(join(dir.path, 'logs-file'));
  const { of } = await show('.', {
    HOLDFAST_LOG_DIR: 'logs-env',
    HOLDFAST_RESULTS_PUSH: 'auto',
    HOLDFAST_BUDGET: '2.5',
  });
  expect(of('logDir')).toMatchObject({ value: 'logs-env', source: 'environment', from: 'HOLDFAST_LOG_DIR' });
  expect(of('results.push')).toMatchObject({ value: 'auto', source: 'environment' });
  expect(of('budget')).toMatchObject({ value: 2.5 });
  expect(of('results.branch')).toMatchObject({ value: 'holdfast/results', source: 'default' });
});

test('settings do what the options do: budget, concurrency, redact, which adds to what the command line says', async () => {
  write('x.eval.yaml', EVAL.replace('a secret', 'a secret of mine'));
  write('holdfast.config.yaml', 'budget: 3\nredact: [secret]\n');
  const { runs } = reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--json', '--redact', 'mine']));
  expect(runs[0]).toMatchObject({ state: 'done', budget: { limitUsd: 3 } });
  const dump = await holdfast(dir.path, ['log', 'dump', runs[0]?.log ?? '']);
  expect(dump.stdout).toContain('[redacted] of [redacted]');
  const shown = await holdfast(dir.path, ['config', 'show']);
  expect(shown.stdout).toMatch(/budget +3 +holdfast\.config\.yaml/);
  expect(shown.stdout).not.toContain('secret');
});

describe('what is wrong is refused with its place', () => {
  test.each([
    [
      'holdfast.config.yaml',
      'logDir: x\nresults:\n  publsh: auto\n',
      'holdfast.config.yaml:3:3: "results.publsh"',
    ],
    ['holdfast.config.json', '{\n "budget": "2"\n}', 'holdfast.config.json:2:2: "budget" must be US dollars'],
    ['holdfast.config.yaml', 'a: [', 'holdfast.config.yaml:'],
    ['holdfast.config.ts', 'export default { logDir: 3 };\n', 'holdfast.config.ts: "logDir" must be a text'],
    ['holdfast.config.ts', 'export const a = 1;\n', 'holdfast.config.ts: it has no default export'],
    ['holdfast.config.ts', 'export default {{;\n', 'holdfast.config.ts:1:'],
    [
      'holdfast.config.mjs',
      '\nthrow new Error("no");\n',
      'holdfast.config.mjs:2:7: the file fails while it is loaded',
    ],
    [
      'holdfast.config.ts',
      'import "./none.ts";\nexport default {};\n',
      'holdfast.config.ts:1:8: the module none.ts',
    ],
  ])('%s: %j', async (name, text, says) => {
    write(name, text);
    write('x.eval.yaml', EVAL);
    const ended = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(ended)).toMatchObject({
      exitCode: 2,
      error: { code: 'E_CONFIG', message: expect.stringContaining(says), hint: expect.stringMatching(/\w/) },
    });
    expect(existsSync(join(dir.path, 'logs'))).toBe(false);
  });

  test('also a variable, and two files side by side; help needs neither', async () => {
    const variable = await holdfast(dir.path, ['log', 'list', '--json'], { HOLDFAST_CONCURRENCY: 'many' });
    expect(reportOf(variable).error).toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining(
        'HOLDFAST_CONCURRENCY cannot be used: "concurrency" must be a whole number',
      ),
    });
    write('holdfast.config.yaml', 'x: 1');
    write('holdfast.config.ts', 'throw 1');
    const two = await holdfast(dir.path, ['config', 'show', '--json']);
    expect(reportOf(two).error?.message).toContain('holdfast.config.ts, holdfast.config.yaml');
    for (const words of [['--help'], ['run', '--help'], ['--version']])
      expect(await holdfast(dir.path, words)).toMatchObject({ code: 0, stderr: '' });
  });
});

test('every option of the same name stands for the same setting, with the same kind of value', async () => {
  const found = new Map<string, Set<string>>();
  for (const { load } of CATALOG) {
    const { command } = await load();
    for (const option of command.options) {
      const isSetting = Object.values(SETTINGS).some((spec) => spec.option === option.attributeName());
      if (!isSetting || option.negate) continue;
      const kinds = found.get(option.attributeName()) ?? new Set();
      found.set(option.attributeName(), kinds.add(option.required ? 'value' : 'none'));
    }
  }
  expect([...found].filter(([, kinds]) => kinds.size > 1)).toEqual([]);
  expect(new Set(found.keys())).toEqual(
    new Set([
      'logDir',
      'segments',
      'bucket',
      'queue',
      'concurrency',
      'budget',
      'allowUnpriced',
      'baseUrl',
      'attempts',
      'grace',
      'redact',
      'cache',
      'store',
      'repo',
      'branch',
      'remote',
      'publish',
      'source',
      'bodies',
      'bodyLimit',
    ]),
  );
});

test('config schema prints what the package ships', async () => {
  const { stdout } = await holdfast(dir.path, ['config', 'schema']);
  expect(stdout).toBe(readFileSync(join(import.meta.dirname, '../../docs/config.schema.json'), 'utf8'));
});

describe('results init --save', () => {
  test('writes a file where there is none, and extends one with what stands in it; saying it again changes nothing', async () => {
    initRepository(join(dir.path, 'results'));
    initRepository(join(dir.path, 'p'));
    const folder = join(dir.path, 'p');
    const init = (...flags: string[]) => holdfast(folder, ['results', 'init', ...flags]);
    const unsaved = await init('--repo', '../results');
    expect(unsaved.stdout).toContain('results:\n    repo: "../results"');
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect((await init('--repo', '../results', '--save')).stdout).toContain('holdfast.config.yaml');
    expect(readFileSync(join(folder, 'holdfast.config.yaml'), 'utf8')).toBe(
      'results:\n  repo: "../results"\n',
    );
    const again = await init();
    expect(again.stdout).toContain('are kept already');
    expect(again.stdout).toContain(join(dir.path, 'results/.git'));
    write('p/holdfast.config.yaml', '# mine\nlogDir: l # here\n');
    await init('--repo', '../results', '--branch', 'other', '--save');
    const text = readFileSync(join(folder, 'holdfast.config.yaml'), 'utf8');
    expect(text).toContain('# mine\nlogDir: l # here\n');
    expect(text).toContain('branch: other');
    expect(git(join(dir.path, 'results'), 'rev-parse', 'other')).toMatch(/^[0-9a-f]{40}$/);
    rmSync(join(folder, 'holdfast.config.yaml'));
    write('p/holdfast.config.json', '{ "logDir": "l" }');
    await init('--repo', '../results', '--save');
    expect(JSON.parse(readFileSync(join(folder, 'holdfast.config.json'), 'utf8'))).toEqual({
      logDir: 'l',
      results: { repo: '../results' },
    });
  });

  test('does not extend code, and writes no password; nothing is begun then', async () => {
    initRepository(dir.path);
    write('holdfast.config.ts', 'export default {};\n');
    const code = await holdfast(dir.path, ['results', 'init', '--branch', 'r', '--save', '--json']);
    expect(reportOf(code)).toMatchObject({ exitCode: 2, error: { code: 'E_CONFIG_SAVE' } });
    rmSync(join(dir.path, 'holdfast.config.ts'));
    const secret = await holdfast(dir.path, [
      'results',
      'init',
      '--repo',
      'https://me:pw@example.invalid/x',
      '--save',
      '--json',
    ]);
    expect(reportOf(secret).error).toMatchObject({ code: 'E_CONFIG_SAVE' });
    expect(secret.stdout + secret.stderr).not.toContain('pw@');
    expect(git(dir.path, 'for-each-ref')).toBe('');
  });
});
