/**
 * A real run in a process of its own, to be killed. It keeps a ledger outside of Holdfast: every live call of the model
 * (`asked`), every answer that the target got to see (`seen`), every sample that was reported as completed (`done`).
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { openBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { defineEval, includes, normalizeEval } from '../../src/evals/index.ts';
import { StateDir } from '../../src/journal/index.ts';
import { directoryLogStore } from '../../src/log/index.ts';
import { runEval, Slots } from '../../src/runner/index.ts';
import { createModels, mockModel } from '../../src/targets/index.ts';

const [dir = '', samplesText = '60', turnsText = '3', segments = ''] = process.argv.slice(2);
const samples = Number(samplesText);
const turns = Number(turnsText);
const note = (line: string) => appendFileSync(join(dir, 'ledger'), `${line}\n`);

const definition = defineEval({
  name: 'crash',
  data: Array.from({ length: samples }, (_, index) => ({
    id: `s${index}`,
    input: `question ${index}`,
    target: `answer ${index}`,
  })),
  target: async ({ id, input }, { generate }) => {
    let text = '';
    for (let turn = 0; turn < turns; turn++) {
      text = (await generate(`${input} turn ${turn}`)).text;
      note(`seen ${id} ${turn}`);
    }
    return text;
  },
  scorers: [includes()],
});

const model = mockModel({
  name: 'mock/ledger',
  respond: async ({ text }) => {
    const [, index, turn] = /question (\d+) turn (\d+)/.exec(text) ?? [];
    note(`asked s${index} ${turn}`);
    await sleep(Number(index) % 7);
    return `answer ${index} ${'long '.repeat(60)}`;
  },
});

const logDir = join(dir, 'logs');
const { account } = await runEval(
  {
    eval: normalizeEval(definition),
    model: 'mock/ledger',
    file: undefined,
    code: undefined,
    baseDir: dir,
    models: createModels({ env: {}, concurrency: 8, scripted: { 'mock/ledger': model } }),
    observer: {
      onRunStart: ({ kept }) => note(`start ${kept}`),
      onSampleEnd: ({ id }, { status }) => note(`${status === 'completed' ? 'done' : status} ${id}`),
      onSealProgress: (done, total) => done === total && note('sealed'),
    },
  },
  {
    places: {
      logs: directoryLogStore(nodeDisk, logDir),
      logDir,
      state: StateDir.of(logDir),
      segments: segments ? { bucket: await openBucket(segments, { disk: nodeDisk }), prefix: '' } : undefined,
    },
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    slots: new Slots(8),
    signals: { drain: new AbortController().signal, abort: new AbortController().signal },
    graceMs: 30_000,
    segmentIntervalMs: undefined,
    forceDead: false,
    reuse: 'same',
    keepOutputs: false,
    ownRuns: new Set(),
    artifacts: { dir: join(dir, 'artifacts'), hostPaths: [] },
    version: 'test',
  },
);
process.stdout.write(JSON.stringify(account));
