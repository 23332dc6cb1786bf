import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { readConfigValue } from './check-config.ts';
import { configJsonSchema, configSentence, defineConfig } from './index.ts';

const ROOT = join(import.meta.dirname, '../..');

const GOOD: readonly unknown[] = [
  {},
  { $schema: './node_modules/holdfast/docs/config.schema.json' },
  { logDir: 'logs', bucket: 'file:///mnt/b', segments: '../b', concurrency: 3, budget: 0.5 },
  { prices: { 'openai/gpt-5': { input: 1, output: 2 }, 'http/x': { call: 0 } }, allowUnpriced: true },
  { grace: '1.5h', attempts: 2, baseUrl: 'http://localhost:1', redact: ['secret', '/sk-\\w+/'] },
  { grace: 30 },
  {
    results: {
      repo: 'git@example.com:a/b.git',
      branch: 'results',
      remote: 'up',
      publish: 'manual',
      push: 'auto',
      bodies: 'summary',
      bodyLimit: '256 KiB',
      sources: ['../logs', 'file:///x', '../other#agentv'],
    },
  },
  { launch: {} },
  {
    launch: {
      lab: {
        kind: 'ssh',
        hosts: ['me@lab-1', { host: '[::1]', slots: 8, dir: '~/project' }],
        options: ['-p', '2222'],
        dir: '/srv/project',
        envFile: '~/keys',
        copyEnv: true,
        graceSeconds: 5,
        program: 'npx holdfast',
        slots: 4,
        idleExit: '10m',
        maxRuntime: '30d',
      },
      own: { kind: 'command', start: 'up {command}', stop: 'down {label}', workers: 3 },
      kube: { kind: 'kubernetes', manifest: 'job.yaml', options: ['--context', 'x'] },
      hpc: { kind: 'slurm', script: 'workers.sh', options: ['--partition=gpu'] },
    },
  },
];

const BAD: readonly (readonly [unknown, string])[] = [
  [[], 'the settings must be the settings, not a list'],
  [{ logdir: 'x' }, '"logdir" is not a word of the settings; did you mean "logDir"?'],
  [{ logDir: '' }, '"logDir" must be a text that is not empty, not the text ""'],
  [{ logDir: null }, '"logDir" must be a text that is not empty, not null'],
  [{ concurrency: 0 }, '"concurrency" must be a whole number of at least 1, not the number 0'],
  [{ concurrency: 1.5 }, '"concurrency" must be a whole number of at least 1, not the number 1.5'],
  [{ budget: '5' }, '"budget" must be US dollars above 0, such as 2.50, not the text "5"'],
  [{ allowUnpriced: 'yes' }, '"allowUnpriced" must be true or false, not the text "yes"'],
  [{ prices: [] }, '"prices" must be an object of models and their prices, not a list'],
  [
    { prices: { m: { inputs: 1, output: 1 } } },
    '"prices.m.inputs" is not a word of a price; did you mean "input"?',
  ],
  [
    { prices: { m: { input: -1, output: 1 } } },
    '"prices.m.input" must be US dollars of at least 0, not the number -1',
  ],
  [{ grace: 'soon' }, '"grace" must be a duration such as 30s, 5m or 1.5h, not the text "soon"'],
  [
    { launch: { own: { kind: 'command', start: 'x', stop: 'y', idleExit: '0s' } } },
    '"launch.own.idleExit" must be a duration above 0, such as 30s, 5m or 1.5h, not the text "0s"',
  ],
  [{ redact: 'x' }, '"redact" must be a list of texts, not the text "x"'],
  [{ results: true }, '"results" must be the settings of results, not true'],
  [
    { results: { publish: 'always' } },
    '"results.publish" must be one of auto, manual, not the text "always"',
  ],
  [
    { results: { Push: 'auto' } },
    '"results.Push" is not a word of the settings of results; did you mean "push"?',
  ],
  [
    { results: { bodyLimit: 'big' } },
    '"results.bodyLimit" must be a size such as 256 KiB or 1 MiB, or a number of bytes',
  ],
  [{ launch: ['ssh'] }, '"launch" must be an object of names and launches, not a list'],
  [
    { launch: { lab: { kind: 'rsh' } } },
    '"launch.lab.kind" must be a launch, whose "kind" is one of ssh, command, kubernetes, slurm',
  ],
  [
    { launch: { lab: { kind: 'ssh', hosts: [] } } },
    '"launch.lab.hosts" must be a list of at least one host, not a list',
  ],
  [
    { launch: { lab: { kind: 'ssh', hosts: ['-oProxyCommand=x'] } } },
    '"launch.lab.hosts[0]" must be a host such as user@host, not the text "-oProxyCommand=x"',
  ],
  [
    { launch: { own: { kind: 'command', start: 'x' } } },
    '"launch.own.stop" is missing; it must be a text that is not empty',
  ],
  [
    { launch: { kube: { kind: 'kubernetes', manifst: 'x' } } },
    '"launch.kube.manifst" is not a word of a launch by kubernetes; did you mean "manifest"?',
  ],
  [{ results: { sources: [1] } }, '"results.sources[0]" must be a text that is not empty, not the number 1'],
];

describe('what settings may be', () => {
  test.each(GOOD)('%j is fine', (value) => {
    expect(readConfigValue(value).problems).toBeUndefined();
  });

  test.each(BAD)(
    '%j is refused with its key, what it must be, and the word that was meant',
    (value, says) => {
      expect(configSentence(readConfigValue(value).problems ?? [])).toContain(says);
    },
  );

  test('a price needs input and output, or a price for each call', () => {
    const sentence = configSentence(readConfigValue({ prices: { m: { input: 1 } } }).problems ?? []);
    expect(sentence).toContain('"prices.m" has no "output"');
  });

  test('defineConfig gives back what it was given, and refuses what is wrong at once', () => {
    expect(defineConfig({ logDir: 'x' })).toEqual({ logDir: 'x' });
    expect(() => defineConfig(JSON.parse('{ "x": 1, "y": 2 }'))).toThrow(
      expect.objectContaining({ code: 'E_CONFIG', message: expect.stringContaining('"x" is not a word') }),
    );
  });
});

describe('the schema for editors', () => {
  test('that is shipped is the one that is checked by: holdfast config schema > docs/config.schema.json', () => {
    expect(readFileSync(join(ROOT, 'docs/config.schema.json'), 'utf8')).toBe(configJsonSchema());
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).toContain('docs');
  });

  test('says yes and no to the same', () => {
    const validate = new Ajv({ strict: false }).compile(JSON.parse(configJsonSchema()));
    for (const value of GOOD) expect(validate(value), JSON.stringify(value)).toBe(true);
    for (const [value] of BAD) expect(validate(value), JSON.stringify(value)).toBe(false);
  });

  test('has a word about every setting, and the guide names each', () => {
    const guide = readFileSync(join(ROOT, 'docs/guide/configuration.md'), 'utf8');
    const { properties } = JSON.parse(configJsonSchema());
    const groups = ['results', 'artifacts', 'bundle'];
    const inner = groups.map((group): Record<string, unknown> => properties[group].properties);
    const keys = [
      ...Object.keys(properties).filter((name) => !groups.includes(name)),
      ...inner.flatMap((group, at) => Object.keys(group).map((key) => `${groups[at]}.${key}`)),
    ];
    expect(keys.length).toBeGreaterThan(20);
    for (const key of keys) expect(guide).toContain(`| \`${key}\` |`);
    for (const one of [...Object.values(properties), ...inner.flatMap((group) => Object.values(group))])
      expect(one).toMatchObject({ description: expect.stringMatching(/\w/) });
  });
});
