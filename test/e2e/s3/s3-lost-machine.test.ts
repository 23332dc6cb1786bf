/** A machine is lost in the middle of a run whose logs go to S3, and another one goes on. What was bought is counted where it is sold. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { chatCompletion } from '../../sim/chat-server.ts';
import { sendJson, startServer, type TestServer } from '../../sim/http-server.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import { holdfast, reportOf, startHoldfast } from '../holdfast.ts';

const s3 = useS3();

const QUICK = 8;
const TURNS = 150;
const TURN_MS = 250;
/** What is newer than this may be lost with the machine: the interval of shipping, and the time that shipping itself takes on a busy machine. */
const FLUSH_MS = 5_000 + 10_000;

/** Samples of two calls that are soon done, and one that asks again and again. */
const EVAL = `
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'away',
  data: [
    { id: 'long', input: 'long', target: 'long' },
    ...Array.from({ length: ${QUICK} }, (_, n) => ({ id: 's' + n, input: 's' + n, target: 's' + n })),
  ],
  target: async ({ input }, { generate }) => {
    const turns = input === 'long' ? ${TURNS} : 2;
    for (let n = 0; n < turns; n++) await generate(input + ' turn ' + n);
    return input;
  },
  scorers: [includes()],
});
`;

/** Every question that was answered, with the moment of its answer. */
interface Shop extends TestServer {
  readonly sold: { readonly text: string; readonly atMs: number }[];
  /** How long it takes to answer the one that asks again and again. */
  turnMs: number;
  /** Questions that were asked and are not answered yet. */
  underWay: number;
}

async function openShop(): Promise<Shop> {
  const sold: { readonly text: string; readonly atMs: number }[] = [];
  const server = await startServer(async (request, response) => {
    const { messages } = JSON.parse(request.body) as { messages: { content: string }[] };
    const text = String(messages.at(-1)?.content);
    shop.underWay++;
    if (text.startsWith('long')) await sleep(shop.turnMs);
    sold.push({ text, atMs: performance.now() });
    shop.underWay--;
    sendJson(response, chatCompletion(request, `heard ${text}`));
  });
  const shop = Object.assign(server, { sold, turnMs: TURN_MS, underWay: 0 });
  return shop;
}

/** A process on a machine of another name: nobody here can tell whether it is alive. */
const OTHER_MACHINE = `
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.hostname = () => 'the-lost-one';
syncBuiltinESMExports();
`;

describe.skipIf(obstacle !== undefined)(onServer('the machine is lost'), () => {
  test('another goes on: every completed sample is there, and no answer older than the interval of shipping is bought again', async () => {
    await using dir = await makeTempDir();
    await using shop = await openShop();
    const [first, second] = [join(dir.path, 'first'), join(dir.path, 'second')];
    for (const machine of [first, second]) {
      mkdirSync(machine);
      writeFileSync(join(machine, 'away.eval.ts'), EVAL);
    }
    const name = join(dir.path, 'other-machine.mjs');
    writeFileSync(name, OTHER_MACHINE);
    const url = `s3://${BUCKET}/${randomUUID()}`;
    const model = `openai-compatible/m@${shop.url}/v1`;
    const run = ['run', 'away.eval.ts', '--model', model, '--log-dir', url];
    const started = startHoldfast(first, run, {
      ...s3.env,
      NODE_OPTIONS: `--import ${pathToFileURL(name).href}`,
    });
    const long = () => shop.sold.filter(({ text }) => text.startsWith('long'));
    // Several intervals, and some more in the last: most is shipped, something is not.
    while ((long().at(-1)?.atMs ?? 0) - (long()[0]?.atMs ?? 0) < 22_000) {
      expect(started.child.exitCode).toBe(null);
      await sleep(50);
    }
    const killedMs = performance.now();
    started.child.kill('SIGKILL');
    await started.ended;
    shop.turnMs = 0;
    rmSync(first, { recursive: true });
    // What was on its way is answered to nobody.
    while (shop.underWay > 0) await sleep(20);
    const before = [...shop.sold];
    const old = before.filter(({ text, atMs }) => !text.startsWith('long') || atMs < killedMs - FLUSH_MS);
    expect(old.length).toBeGreaterThan(2 * QUICK + 10);
    expect(before.filter(({ text }) => text.startsWith('s'))).toHaveLength(2 * QUICK);

    // Whoever cannot tell whether the machine is alive is told so, and has to say that it is not.
    const listed = await holdfast(second, ['recover', '--list', url, '--json'], s3.env);
    expect(JSON.parse(listed.stdout).recoverable).toMatchObject([
      { sources: ['segments'], liveness: 'unknown' },
    ]);
    const again = await holdfast(second, [...run, '--force-dead', '--json'], s3.env);
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    const bought = shop.sold.slice(before.length).map(({ text }) => text);
    const twice = old.filter(({ text }) => bought.includes(text)).map(({ text }) => text);
    expect(twice).toEqual([]);
    // What was never answered is bought, once; the rest of what is bought is what was younger.
    expect(new Set(bought).size).toBe(bought.length);
    expect(bought).toContain(`long turn ${TURNS - 1}`);
    const report = reportOf(again);
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { kept: QUICK } });
    const verified = await holdfast(second, ['log', 'verify', url], s3.env);
    expect(verified.stdout).toContain(`${QUICK + 1} samples`);
  });
});
