import { shellWord } from '../views/index.ts';
import type { RunItem, SampleId } from './api.ts';
import { type CommandPlace, compareCommand, withRepo } from './commands.ts';

interface Command {
  readonly what: string;
  readonly command: string;
}

/** What can be typed about a run. Of one under way there is no log yet: fewer commands know it. */
export function runCommands(studio: CommandPlace, item: RunItem, previous: RunItem | undefined): Command[] {
  const { run, facts } = item;
  const hasLog = isLog(item);
  const failed = (facts?.samples.errored ?? 0) > 0 || facts?.status !== 'success';
  return [
    {
      what: 'Show it',
      command: `holdfast ${hasLog ? 'log show' : 'results show'} ${runWords(studio, item)}`,
    },
    ...(hasLog ? [{ what: 'Export its samples', command: samplesCommand(studio, item) }] : []),
    ...(previous
      ? [{ what: 'Compare with the run before', command: compareCommand(studio, [previous, item]) }]
      : []),
    ...(item.form === 'interrupted'
      ? [{ what: 'Make a log of it', command: `holdfast recover ${shellWord(run)}` }]
      : []),
    ...(hasLog && failed && item.form !== 'agentv'
      ? [{ what: 'Run what failed again', command: `holdfast retry ${logWord(item)}` }]
      : []),
    ...(item.form === 'log'
      ? [{ what: 'Check that it is whole', command: `holdfast log verify ${logWord(item)}` }]
      : []),
  ];
}

/** Exports all its samples; a run without a log is only shown. */
export function samplesCommand(studio: CommandPlace, item: RunItem): string {
  if (!isLog(item)) return `holdfast results show ${runWords(studio, item)}`;
  return `holdfast log export ${runWords(studio, item)} --to jsonl --table samples --out samples.jsonl`;
}

export function sampleCommands(
  studio: CommandPlace,
  item: RunItem,
  { id, epoch }: { readonly id: SampleId; readonly epoch: number },
): Command[] {
  if (!isLog(item))
    return [{ what: 'Show its run', command: `holdfast results show ${runWords(studio, item)}` }];
  const sample = `--sample ${shellWord(`${id}@${epoch}`)}`;
  return [
    { what: 'Show it', command: `holdfast log show ${runWords(studio, item)} ${sample} --events` },
    { what: 'Print it as JSON', command: `holdfast log dump ${runWords(studio, item)} ${sample}` },
  ];
}

function isLog({ form }: RunItem): boolean {
  return form === 'published' || form === 'log' || form === 'agentv';
}

/** A published run is known by its id alone; others with the place that they are kept in. */
function runWords(studio: CommandPlace, { run, form, place }: RunItem): string {
  return form === 'published'
    ? withRepo(studio, shellWord(run))
    : `${shellWord(run)} --source ${shellWord(place)}`;
}

/** For commands that take a path. */
function logWord({ run, form, place, name }: RunItem): string {
  return shellWord(form === 'log' ? `${place.replace(/\/$/, '')}/${name}` : run);
}
