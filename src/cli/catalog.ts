import type { CommandSpec } from './command.ts';

/** What `holdfast --help` lists. A command's own file is loaded only when the command is named. */
export interface CatalogEntry {
  readonly words: readonly [string] | readonly [string, string];
  readonly summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own flags, which only it reads.
  load(): Promise<{ readonly command: CommandSpec<any> }>;
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    words: ['init'],
    summary: 'Write a first eval into a folder',
    load: () => import('./commands/init.ts'),
  },
  {
    words: ['run'],
    summary: 'Run evals, or complete what earlier runs left',
    load: () => import('./commands/run.ts'),
  },
  {
    words: ['score'],
    summary: 'Score a log again without calling its target',
    load: () => import('./commands/score.ts'),
  },
  {
    words: ['recover'],
    summary: 'Turn whatever a crash left into a finished log: ours or Inspect’s',
    load: () => import('./commands/recover.ts'),
  },
  {
    words: ['retry'],
    summary: 'Run only what is missing or failed in a log',
    load: () => import('./commands/retry.ts'),
  },
  {
    words: ['submit'],
    summary: 'Hand evals to workers on many machines, wait for them and bring the log home',
    load: () => import('./commands/submit.ts'),
  },
  {
    words: ['worker'],
    summary: 'Run samples of shared runs on this machine',
    load: () => import('./commands/worker.ts'),
  },
  {
    words: ['runs', 'list'],
    summary: 'List the shared runs of a bucket, and how far each is',
    load: () => import('./commands/runs-list.ts'),
  },
  {
    words: ['runs', 'status'],
    summary: 'Show how far a shared run is: samples in flight, workers, failures, money',
    load: () => import('./commands/runs-status.ts'),
  },
  {
    words: ['runs', 'wait'],
    summary: 'Wait until a shared run is over; the exit code says how it ended',
    load: () => import('./commands/runs-wait.ts'),
  },
  {
    words: ['runs', 'logs'],
    summary: 'Tell what happened to a shared run, and what its samples wrote',
    load: () => import('./commands/runs-logs.ts'),
  },
  {
    words: ['runs', 'fetch'],
    summary: 'Bring a shared run home: its log, its artifacts, its account',
    load: () => import('./commands/runs-fetch.ts'),
  },
  {
    words: ['runs', 'resume'],
    summary: 'Go on with a shared run: what is missing or failed, and nothing else',
    load: () => import('./commands/runs-resume.ts'),
  },
  {
    words: ['runs', 'cancel'],
    summary: 'Stop a shared run everywhere; it can be resumed',
    load: () => import('./commands/runs-cancel.ts'),
  },
  {
    words: ['runs', 'gc'],
    summary: 'Remove shared runs from the bucket that are home, whole and merged',
    load: () => import('./commands/runs-gc.ts'),
  },
  {
    words: ['log', 'list'],
    summary: 'List the logs and unfinished runs of a directory',
    load: () => import('./commands/log-list.ts'),
  },
  {
    words: ['log', 'show'],
    summary: 'Show a log, or one sample of it',
    load: () => import('./commands/log-show.ts'),
  },
  {
    words: ['log', 'dump'],
    summary: 'Print a log as JSON',
    load: () => import('./commands/log-dump.ts'),
  },
  {
    words: ['log', 'verify'],
    summary: 'Check that logs are whole',
    load: () => import('./commands/log-verify.ts'),
  },
  {
    words: ['log', 'convert'],
    summary: 'Write a log in another form (.json, .eval, older tools)',
    load: () => import('./commands/log-convert.ts'),
  },
  {
    words: ['log', 'export'],
    summary: 'Write a log as tables (Parquet, CSV, JSON Lines)',
    load: () => import('./commands/log-export.ts'),
  },
  {
    words: ['log', 'merge'],
    summary: 'Make one log of several of the same eval',
    load: () => import('./commands/log-merge.ts'),
  },
  {
    words: ['results', 'init'],
    summary: 'Begin to keep results in git',
    load: () => import('./commands/results-init.ts'),
  },
  {
    words: ['results', 'publish'],
    summary: 'Publish finished logs: keep them in git',
    load: () => import('./commands/results-publish.ts'),
  },
  {
    words: ['results', 'list'],
    summary: 'List runs, newest first: published, in logs, and under way',
    load: () => import('./commands/results-list.ts'),
  },
  {
    words: ['results', 'show'],
    summary: 'Show a run: published, in a log, or under way',
    load: () => import('./commands/results-show.ts'),
  },
  {
    words: ['results', 'export'],
    summary: 'Write published runs as tables, or as logs again',
    load: () => import('./commands/results-export.ts'),
  },
  {
    words: ['results', 'sync'],
    summary: 'Bring results from the remote, and send what waits here',
    load: () => import('./commands/results-sync.ts'),
  },
  {
    words: ['results', 'status'],
    summary: 'Say where results are kept, and what waits to be sent',
    load: () => import('./commands/results-status.ts'),
  },
  {
    words: ['results', 'tag'],
    summary: 'Tag published runs, or take tags away',
    load: () => import('./commands/results-tag.ts'),
  },
  {
    words: ['results', 'note'],
    summary: 'Write a note or a verdict on a published run, a sample or an event',
    load: () => import('./commands/results-note.ts'),
  },
  {
    words: ['results', 'remove'],
    summary: 'Hide published runs from lists, or show them again',
    load: () => import('./commands/results-remove.ts'),
  },
  {
    words: ['results', 'verify'],
    summary: 'Check published runs against their digests',
    load: () => import('./commands/results-verify.ts'),
  },
  {
    words: ['results', 'gc'],
    summary: 'Drop bodies of old runs from the bucket',
    load: () => import('./commands/results-gc.ts'),
  },
  {
    words: ['results', 'archive'],
    summary: 'Go on in a new branch without old runs',
    load: () => import('./commands/results-archive.ts'),
  },
  {
    words: ['results', 'upkeep'],
    summary: 'Put small packs of the repository together (done by itself)',
    load: () => import('./commands/results-upkeep.ts'),
  },
  {
    words: ['artifacts', 'list'],
    summary: 'List the artifacts of the warm cache',
    load: () => import('./commands/artifacts-list.ts'),
  },
  {
    words: ['artifacts', 'build'],
    summary: 'Build what evals require, and run nothing else',
    load: () => import('./commands/artifacts-build.ts'),
  },
  {
    words: ['artifacts', 'show'],
    summary: 'Show an artifact: its generations, inputs, files and cost',
    load: () => import('./commands/artifacts-show.ts'),
  },
  {
    words: ['artifacts', 'verify'],
    summary: 'Check artifacts against their digests',
    load: () => import('./commands/artifacts-verify.ts'),
  },
  {
    words: ['artifacts', 'diff'],
    summary: 'Say what differs between two generations of an artifact',
    load: () => import('./commands/artifacts-diff.ts'),
  },
  {
    words: ['artifacts', 'merge'],
    summary: 'Take over artifacts from other caches, folders and buckets',
    load: () => import('./commands/artifacts-merge.ts'),
  },
  {
    words: ['artifacts', 'export'],
    summary: 'Copy artifacts to a folder that can be imported elsewhere',
    load: () => import('./commands/artifacts-export.ts'),
  },
  {
    words: ['artifacts', 'import'],
    summary: 'Take over artifacts from a folder that was exported',
    load: () => import('./commands/artifacts-import.ts'),
  },
  {
    words: ['artifacts', 'push'],
    summary: 'Send artifacts to a bucket that others pull from',
    load: () => import('./commands/artifacts-push.ts'),
  },
  {
    words: ['artifacts', 'pull'],
    summary: 'Fetch artifacts that others pushed to a bucket',
    load: () => import('./commands/artifacts-pull.ts'),
  },
  {
    words: ['artifacts', 'gc'],
    summary: 'Remove generations that nobody needs any more',
    load: () => import('./commands/artifacts-gc.ts'),
  },
  {
    words: ['bundle'],
    summary: 'Say which code workers would run, and why its digest changed',
    load: () => import('./commands/bundle.ts'),
  },
  {
    words: ['compare'],
    summary: 'Say whether runs are better or worse, and which samples flipped',
    load: () => import('./commands/compare.ts'),
  },
  {
    words: ['history'],
    summary: 'Show the score of an eval over time, or when a sample flipped',
    load: () => import('./commands/history.ts'),
  },
  {
    words: ['studio'],
    summary: 'Look at runs in the browser: compare, search and judge them',
    load: () => import('./commands/studio.ts'),
  },
  {
    words: ['studio', 'export'],
    summary: 'Write the Studio of some runs as files that open without a server',
    load: () => import('./commands/studio-export.ts'),
  },
  {
    words: ['config', 'show'],
    summary: 'Show the settings that hold here, and where each comes from',
    load: () => import('./commands/config-show.ts'),
  },
  {
    words: ['config', 'schema'],
    summary: 'Print the JSON Schema of the settings',
    load: () => import('./commands/config-schema.ts'),
  },
  {
    words: ['launch', 'stop'],
    summary: 'Stop the workers that were launched for a run',
    load: () => import('./commands/launch-stop.ts'),
  },
  {
    words: ['doctor'],
    summary: 'Check this machine, and a bucket if one is named',
    load: () => import('./commands/doctor.ts'),
  },
  {
    words: ['demo'],
    summary: 'Run an example eval, kill it halfway, and let it recover',
    load: () => import('./commands/demo.ts'),
  },
];

/** Commands of two words, by their first. */
export const GROUPS: Readonly<Record<string, string>> = {
  log: 'List, show, check, convert, export and merge logs',
  config: 'Show the settings of a project, and what they may be',
  runs: 'Follow, fetch, resume and cancel runs on many machines',
  artifacts: 'Keep what is expensive to build, and share it between machines',
  launch: 'Stop workers that were started on other machines',
  results: 'Keep finished runs in git: list, share, annotate, check and export them',
};
