// Runs on the oldest Node that is promised, on the built source: `write <build> <dir>` makes a journal, `read <build> <journal>` prints
// what it holds. Plain JavaScript, since that Node knows neither all of today's syntax nor our types.
const [what, build, place] = process.argv.slice(2);
const { createWriter, readJournal } = await import(`${build}/journal/index.js`);
const { systemClock } = await import(`${build}/base/index.js`);
const { nodeDisk } = await import(`${build}/disk/index.js`);

const TEXTS = [
  'short \0 NUL',
  `long \0 ${'x'.repeat(174)} \0 end`,
  'lone \ud800',
  `long lone ${'y'.repeat(200)} \udfff`,
];

if (what === 'write') {
  const run = JSON.parse(process.env.RUN ?? '');
  const writer = await createWriter({
    runDir: `${place}/${run.runId}`,
    run,
    writer: { writer: 'w', generation: 1, after: [], reuse: 'same' },
    ports: { disk: nodeDisk, clock: systemClock },
  });
  const attempt = writer.startAttempt({
    id: 'id with \0',
    epoch: 1,
    key: 'k',
    uuid: 'u',
    startedAt: '2026-01-01T00:00:00+00:00',
    sample: { input: TEXTS[1], target: TEXTS[3], metadata: {} },
  });
  for (const [occurrence, value] of TEXTS.entries())
    await attempt.answer({ kind: 'model', digest: 'q', occurrence, value, costUsd: 1 }, [
      { event: 'info', timestamp: '2026-01-01T00:00:00+00:00', data: value },
    ]);
  writer.close();
}
const path = what === 'write' ? `${place}/${JSON.parse(process.env.RUN ?? '').runId}/w/journal.db` : place;
const reader = readJournal(path);
const found = [...reader.outline()].map(({ n, id }) => ({
  id,
  sample: reader.attempt(n)?.sample,
  answers: [...reader.answers(n)].map(({ value }) => value),
  events: [...reader.events(n)].map((json) => reader.expandEvent(n, json).data),
}));
process.stdout.write(
  JSON.stringify({ version: process.versions.node, path, found, damage: reader.damage().sentences }),
);
reader.close();
