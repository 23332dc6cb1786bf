import { basename, dirname } from 'node:path';
import { isRunId, type RunId } from '../base/index.ts';
import { logFileName } from '../log/index.ts';
import { ownMark } from './known-beside.ts';
import type { Records } from './record-file.ts';
import type { RunRecord, WriterRecord } from './records.ts';
import { asDigest, NOBODY } from './stored-documents.ts';
import type { WriterPlace } from './writers-in.ts';

/**
 * Records for a journal whose own are gone, in its database and beside it. The other writers of the run say what run it is,
 * and whoever came after it when it was. Undefined for version 1, whose one writer has no folder of its own.
 */
export function recordsOfOthers(place: WriterPlace, others: readonly Records[]): Records | undefined {
  const [first] = others;
  if (!first || !hasOwnFolder(place)) return undefined;
  const later = others.map(({ writer }) => writer).filter(({ after }) => after.includes(place.writer));
  const generation = Math.max(0, Math.min(...later.map((writer) => writer.generation)) - 1);
  return { run: first.run, writer: unknownWriter(place, later.length === 0 ? 0 : generation) };
}

/** Records for a journal of which nobody says any more what it was: only its folders have names. */
export function recordsOfNobody(place: WriterPlace): Records | undefined {
  const runId = basename(dirname(place.dir));
  if (!isRunId(runId) || !hasOwnFolder(place)) return undefined;
  return { run: namelessRun(runId), writer: unknownWriter(place, 0) };
}

/** True for a run whose eval and plan nobody says any more. */
export function isNameless({ identity }: RunRecord): boolean {
  return identity.eval === '';
}

function hasOwnFolder({ dir, writer }: WriterPlace): boolean {
  return basename(dir) === writer;
}

/** Of its process its mark says at least since when its machine was up: whether the lock can be believed. */
function unknownWriter({ writer, path }: WriterPlace, generation: number): WriterRecord {
  const process = { ...NOBODY, bootId: ownMark(path)?.boot };
  return { writer, generation, after: [], process, startedAt: '', reuse: 'same' };
}

/** Its samples are told by its rows alone: how many were planned is not known. */
function namelessRun(runId: RunId): RunRecord {
  const created = createdOf(runId);
  const unknown = asDigest('');
  return {
    runId,
    created,
    start: {
      version: 2,
      eval: {
        eval_id: '',
        run_id: runId,
        created,
        task: 'unknown',
        task_id: runId,
        task_version: 0,
        task_attribs: {},
        task_args: {},
        task_args_passed: {},
        dataset: {},
        model: 'unknown',
        model_generate_config: {},
        model_args: {},
        config: {},
        packages: {},
      },
      plan: { name: 'plan', steps: [], config: {} },
    },
    identity: { eval: '', version: '', targetName: '', target: unknown, definition: unknown, plan: unknown },
    planned: 1,
    logName: logFileName({ created, task: 'unknown', taskId: runId }),
  };
}

/** The id of a run begins with the time at which it was made. */
function createdOf(runId: string): string {
  const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(runId);
  const [, year, month, day, hours, minutes, seconds] = time ?? [];
  return time ? `${year}-${month}-${day}T${hours}:${minutes}:${seconds}+00:00` : '1970-01-01T00:00:00+00:00';
}
