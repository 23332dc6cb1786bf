import { createHash } from 'node:crypto';
import type { ResultsRepo } from '../../sim/results-repo.ts';

/** All that a reader must give back of results: their rows, what was said of them, and every document of every run. */
export async function describeResults({ store }: ResultsRepo): Promise<unknown> {
  const { runs } = await store.list({ limit: 1_000, withRemoved: true });
  const described = [];
  for (const { run } of runs) {
    const { revision, revisions, marks } = await store.find(run);
    const log = await store.open({ revision });
    const documents: Record<string, string> = {};
    for (const { name } of log.members()) documents[name] = await digestOf(log.readMember(name));
    await log.close();
    const verified = await store.verify(run);
    described.push({ run, revisions, row: revision.row, marks, documents, problems: verified?.problems });
  }
  return JSON.parse(JSON.stringify(described));
}

/** A document that was left out says why it is not there. */
async function digestOf(chunks: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of chunks ?? []) hash.update(chunk);
  } catch (error) {
    return String(Reflect.get(Object(error), 'code'));
  }
  return hash.digest('hex');
}
