import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson, type SampleKey } from '../base/index.ts';
import { type Disk, fileNameFor } from '../disk/index.ts';
import type { StateDir } from '../journal/index.ts';
import type { LogEvent, LogReader, SampleFields } from '../log/index.ts';
import type { FoundSample } from '../reuse/index.ts';
import type { RunnableTarget } from '../targets/index.ts';
import type { PlannedSample } from './plan.ts';
import type { RunSettings } from './settings.ts';

/** A sample of an earlier run whose output stands, though it is scored anew. */
export interface KeptOutput {
  readonly fields: SampleFields;
  /** What happened before it was scored. */
  readonly events: AsyncIterable<LogEvent>;
  /** The run that it is from. */
  readonly from: string;
  /** The folder in which it ran, when it is still there: scorers may want to look into it. */
  readonly workspace: string | undefined;
}

/** Undefined when the log or the sample is gone. */
export async function readKeptOutput(
  log: LogReader | undefined,
  about: {
    readonly planned: PlannedSample;
    readonly found: FoundSample;
    readonly settings: RunSettings;
    readonly target: Pick<RunnableTarget, 'kind'>;
  },
): Promise<KeptOutput | undefined> {
  const { planned, found, settings, target } = about;
  const transcript = await log?.transcript(planned);
  if (!transcript) return undefined;
  return {
    fields: transcript.fields,
    events: beforeScoring(transcript.events),
    from: found.runId,
    // Only agents work in a folder.
    workspace:
      target.kind === 'command'
        ? await workspaceOf(settings, { runId: found.runId, sample: planned })
        : undefined,
  };
}

/** The latest folder in which a sample of a run worked. */
export async function workspaceOf(
  { disk, places }: { readonly disk: Disk; readonly places: { readonly state: StateDir } },
  { runId, sample }: { readonly runId: string; readonly sample: SampleKey },
): Promise<string | undefined> {
  const attempts = join(places.state.workDir(runId), fileNameFor(String(sample.id)));
  const numbers = ((await disk.list(attempts)) ?? []).flatMap(({ name }) => {
    const [epoch, number] = name.split('-');
    return Number(epoch) === sample.epoch ? [Number(number)] : [];
  });
  // By number: as text the tenth attempt would come before the second.
  const dir = join(attempts, `${sample.epoch}-${Math.max(...numbers)}`, 'workspace');
  return numbers.length > 0 && (await disk.stat(dir)) ? dir : undefined;
}

/** Without what scorers did: their verdicts are given anew, and none of the old may stand beside them. */
async function* beforeScoring(
  events: Iterable<LogEvent> | AsyncIterable<LogEvent>,
): AsyncGenerator<LogEvent> {
  const isOfScoring = scoringFilter();
  for await (const event of events) if (!isOfScoring(event)) yield event;
}

/** The same for events as texts. */
export async function* textsBeforeScoring(
  texts: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string> {
  const isOfScoring = scoringFilter();
  for await (const text of texts) {
    const event = parseJson(text);
    if (!isJsonObject(event) || !isOfScoring(event)) yield text;
  }
}

function scoringFilter(): (event: JsonObject) => boolean {
  const scoring = new Set<unknown>();
  return (event) => {
    if (event.event === 'span_begin' && event.type === 'scorers') scoring.add(event.id);
    return event.event === 'score' || scoring.has(event.span_id) || scoring.has(event.id);
  };
}
