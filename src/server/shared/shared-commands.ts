import type { RunStatus } from '../../cluster/index.ts';
import { shellWord } from '../../views/index.ts';
import type { SharedRunView } from '../api.ts';

/** What can be typed about a shared run, on any machine that has the bucket. The queue is not named: its address may hold a password. */
export function sharedCommands(
  { run, state, workers }: Pick<RunStatus, 'run' | 'state' | 'workers'>,
  bucket: string,
): SharedRunView['commands'] {
  const words = `${shellWord(run)} --bucket ${shellWord(bucket)}`;
  const isAnyoneThere = workers.some((worker) => worker.state === 'live');
  return [
    ...(state === 'complete' || isAnyoneThere
      ? []
      : [{ what: 'Start a worker', command: `holdfast worker --bucket ${shellWord(bucket)}` }]),
    { what: 'Wait until it is over', command: `holdfast runs wait ${words}` },
    { what: 'Bring home what is there', command: `holdfast runs fetch ${words}` },
    { what: 'Stop it everywhere', command: `holdfast runs cancel ${words}` },
    { what: 'Run what is missing or failed', command: `holdfast runs resume ${words}` },
    { what: 'The same in a terminal', command: `holdfast runs status ${words}` },
  ];
}
