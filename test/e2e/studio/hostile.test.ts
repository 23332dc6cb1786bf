/** What models, datasets and people write is text, wherever it is shown. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inOrder } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { fixtureEvent, fixtureFields, writeFixtureLog } from '../../sim/log-fixture.ts';
import { initRepository, openResults, runIdAt } from '../../sim/results-repo.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { launchBrowser, openPage, whyNoBrowser } from './browser.ts';
import { serveTestStudio, type TestStudio } from './served.ts';

const obstacle = whyNoBrowser();
let dir: TempDir;
let studio: TestStudio;
let browser: Browser;

/** Each sets a mark when it is run or loaded. */
const EVIL = [
  '<script>window.evil=1</script>',
  '<img src=x onerror="window.evil=2">',
  '<svg onload="window.evil=3"></svg>',
  '[a link](javascript:window.evil=4)',
  '![a picture](http://evil.test/pixel.png)',
  '<a href="javascript:window.evil=5">x</a>',
  '<iframe srcdoc="<script>parent.evil=6</script>"></iframe>',
  '"><style>body{display:none}</style>',
  '$\\href{javascript:window.evil=7}{x}$',
  '`</code><script>window.evil=8</script>`',
  '\u001b]8;;javascript:window.evil=9\u0007link\u001b]8;;\u0007',
  '<details open ontoggle="window.evil=10">',
].join('\n\n');
const SHORT = '<img src=x onerror="window.evil=11">';
const ID = 'a/<b>"\'&?#%20';
const RUNS = [runIdAt('2026-03-01T00:00:00Z', 1), runIdAt('2026-03-02T00:00:00Z', 2)] as const;

function hostileLog(run: string) {
  const message = {
    role: 'assistant',
    content: [
      { type: 'reasoning', reasoning: EVIL },
      { type: 'text', text: EVIL },
      { type: 'image', image: 'http://evil.test/image.png' },
      { type: 'image', image: `data:text/html,${EVIL}` },
    ],
    tool_calls: [{ id: 't', function: SHORT, arguments: { cmd: EVIL, [SHORT]: SHORT } }],
  };
  const events = [
    fixtureEvent({ event: 'span_begin', id: 's', name: SHORT, type: 'agent' }),
    fixtureEvent({
      event: 'model',
      model: SHORT,
      input: [{ role: 'user', content: EVIL }],
      tools: [],
      tool_choice: 'auto',
      config: {},
      output: { model: SHORT, choices: [{ message, stop_reason: SHORT }], completion: EVIL },
    }),
    fixtureEvent({
      event: 'tool',
      id: 't',
      function: SHORT,
      arguments: { cmd: EVIL },
      result: EVIL,
      events: [],
      error: { type: 'unknown', message: EVIL },
    }),
    fixtureEvent({ event: 'info', source: SHORT, data: { text: EVIL } }),
    fixtureEvent({
      event: 'logger',
      message: {
        name: SHORT,
        level: 'warning',
        message: EVIL,
        created: 1,
        filename: SHORT,
        module: SHORT,
        lineno: 1,
      },
    }),
    fixtureEvent({ event: 'state', changes: [{ op: 'replace', path: `/${SHORT}`, value: EVIL }] }),
    fixtureEvent({ event: 'error', error: { message: EVIL, traceback: EVIL, traceback_ansi: EVIL } }),
    fixtureEvent({
      event: 'score',
      score: { value: 'I', answer: EVIL, explanation: EVIL, metadata: { [SHORT]: EVIL } },
      scorer: SHORT,
    }),
    fixtureEvent({ event: SHORT, text: EVIL }),
  ];
  const fields = fixtureFields(ID, {
    input: EVIL,
    target: EVIL,
    messages: [
      { role: 'user', content: EVIL },
      { role: SHORT, content: EVIL },
    ],
    output: { model: SHORT, choices: [], completion: EVIL },
    scores: {
      [SHORT]: {
        value: run === RUNS[0] ? 'C' : 'I',
        answer: EVIL,
        explanation: EVIL,
        metadata: { [SHORT]: EVIL },
      },
    },
    metadata: { [SHORT]: EVIL },
    store: { [SHORT]: EVIL },
    error_retries: [{ message: EVIL, traceback: EVIL, traceback_ansi: EVIL }],
  });
  const stats = {
    started_at: run.slice(0, 4),
    completed_at: '',
    model_usage: {},
    role_usage: {},
    connection_limit_history: [],
  };
  return {
    spec: {
      run_id: run,
      eval_id: `e${run}`,
      task: SHORT,
      model: `${SHORT}/m`,
      created: '2026-03-01T00:00:00+00:00',
      metadata: { [SHORT]: EVIL },
      scorers: [{ name: SHORT, options: { [SHORT]: EVIL } }],
    },
    header: {
      tags: [SHORT],
      stats: { ...stats, started_at: '2026-03-01T00:00:00+00:00', completed_at: '2026-03-01T00:01:00+00:00' },
    },
    samples: [{ fields, events }],
  };
}

beforeAll(async () => {
  if (obstacle !== undefined) return;
  dir = await makeTempDir();
  const project = join(dir.path, 'project');
  initRepository(project);
  mkdirSync(join(project, 'logs'));
  await using repo = await openResults(project, { author: SHORT });
  for (const run of RUNS) {
    const { spec, header, samples } = hostileLog(run);
    const path = join(project, 'logs', `${run}.eval`);
    await writeFixtureLog(nodeDisk, path, {
      spec,
      header: { ...header, eval: { ...hostileSpec(spec) } },
      samples,
    });
    await repo.publish(path);
    await repo.store.say([run], () => [
      { kind: 'note', text: EVIL },
      { kind: 'verdict', verdict: 'fail', text: EVIL, scorer: SHORT, anchor: { sample: ID, epoch: 1 } },
      { kind: 'tag', tag: `t${SHORT}` },
    ]);
  }
  studio = await serveTestStudio({ places: [project], logDirs: [join(project, 'logs')] });
  browser = await launchBrowser();
});

function hostileSpec(spec: object) {
  return {
    eval_id: 'e',
    run_id: 'r',
    created: '',
    task: SHORT,
    task_id: 't',
    task_version: 0,
    task_attribs: {},
    task_args: {},
    task_args_passed: {},
    dataset: { name: SHORT },
    model: SHORT,
    model_generate_config: {},
    model_args: {},
    config: {},
    packages: {},
    ...spec,
  };
}

afterAll(async () => {
  if (obstacle !== undefined) return;
  await browser.close();
  await studio[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

describe.skipIf(obstacle !== undefined)(
  `hostile texts${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    test('nothing that is shown is run, loaded or followed, on any page', async () => {
      const [first, second] = RUNS;
      const sample = encodeURIComponent(ID);
      const name = encodeURIComponent(SHORT);
      const findings: string[] = [];
      const paths = [
        '/runs',
        `/runs?q=${name}`,
        `/runs/${second}`,
        `/runs/${second}/timeline`,
        `/runs/${second}/cost`,
        `/runs/${second}/config`,
        `/runs/${second}/raw`,
        ...['transcript', 'messages', 'scores', 'files', 'attempts', 'raw'].map(
          (tab) => `/runs/${second}/s/${sample}/1?tab=${tab}`,
        ),
        `/runs/${second}/s/${sample}/1?find=evil`,
        `/compare?runs=${first},${second}`,
        `/compare?runs=${first},${second}&view=plots`,
        `/compare/s/${sample}?runs=${first},${second}`,
        '/matrix',
        '/evals',
        `/evals/${name}`,
        `/evals/${name}/s/${sample}`,
        '/search?text=evil',
        '/search?text=evil&in=notes',
        `/review?run=${second}`,
        '/store',
        `/nowhere/${name}`,
      ];
      const look = async (path: string) => {
        const { page, wrong } = await openPage(browser, { origin: studio.url });
        page.on('dialog', () => wrong.push('a dialog'));
        await page.goto(studio.url + path);
        // A machine that is busy takes its time to show anything.
        const shown = async () => ((await page.locator('body').textContent()) ?? '').trim();
        for (let tries = 0; tries < 300 && (await shown()) === ''; tries++) await page.waitForTimeout(200);
        await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined); // the event stream never ends
        await page.waitForTimeout(700);
        const evil = await page.evaluate('window.evil');
        if (evil !== undefined) findings.push(`${path}: ran ${String(evil)}`);
        const links = await page
          .locator(
            'a[href^="javascript:"], iframe, object, embed, img[src^="http:"], script[src^="http://evil"]',
          )
          .count();
        if (links > 0) findings.push(`${path}: ${links} live elements`);
        if ((await shown()) === '') findings.push(`${path}: nothing is shown`);
        findings.push(...wrong.filter((text) => !/404/.test(text)).map((text) => `${path}: ${text}`));
        await page.context().close();
      };
      // Each mostly waits for what might yet be run.
      for await (const _ of inOrder(paths, { atATime: 4, work: look }));
      expect(findings).toEqual([]);
      expect(studio.bugs).toEqual([]);
    }, 300_000);
  },
);
