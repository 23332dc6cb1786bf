/** What a project may say for all its evals and commands. The JSON Schema that editors use is made of this. */
import { z } from 'zod';
import { strictObject } from '../evals/index.ts';
import { launch } from './launch-schema.ts';
import { count, duration, must, oneOf, perMillion, size, text, texts, truth, usd } from './setting-kinds.ts';

const price = strictObject('a price', {
  input: perMillion.exactOptional().describe('US dollars per million tokens that are sent'),
  output: perMillion.exactOptional().describe('US dollars per million tokens that come back'),
  cacheRead: perMillion
    .exactOptional()
    .describe('US dollars per million tokens that are read from the cache'),
  cacheWrite: perMillion
    .exactOptional()
    .describe('US dollars per million tokens that are written to the cache'),
  call: perMillion.exactOptional().describe('US dollars for each call, of what tells no tokens'),
}).superRefine(({ input, output, call }, context) => {
  if (call !== undefined && input === undefined && output === undefined) return;
  const missing = Object.entries({ input, output }).flatMap(([key, value]) =>
    value === undefined ? [key] : [],
  );
  if (missing.length > 0)
    context.addIssue({ code: 'custom', message: `has no "${missing.join('" and no "')}"` });
});

const callLimit = strictObject('the limits of a model', {
  concurrency: count.exactOptional().describe('Calls at a time'),
  perMinute: count.exactOptional().describe('Calls that begin within any minute'),
});

const artifacts = strictObject('the settings of artifacts', {
  cache: text
    .optional()
    .describe(
      'The folder of the warm cache. Default: .holdfast/artifacts of the repository, shared by its work trees',
    ),
  store: text
    .optional()
    .describe('A bucket or a folder that artifacts are pulled from and pushed to. Default: none'),
});

const bundle = strictObject('the settings of the bundle', {
  files: texts
    .optional()
    .describe(
      'Files that workers need, as patterns, in the place of what git tracks. Default: what git tracks',
    ),
  data: texts
    .optional()
    .describe('Files that git ignores and that workers need, as patterns. They are sent once, file by file'),
  programs: must(
    'a list of programs, or an object of programs and the commands that say their versions',
    (error) => z.union([z.array(text), z.record(z.string(), text)], { error }),
  )
    .optional()
    .describe('Programs that the code starts: workers must have the same versions'),
  image: text
    .optional()
    .describe('The image that workers run in, by its digest: a worker must name the same in HOLDFAST_IMAGE'),
});

const results = strictObject('the settings of results', {
  repo: text
    .optional()
    .describe('The repository that keeps the results: a path or a URL. Default: that of the folder'),
  branch: text.optional().describe('The branch of the results. Default: holdfast/results'),
  remote: text
    .optional()
    .describe('The remote that results are pushed to and fetched from. Default: the only one, or origin'),
  publish: oneOf('auto', 'manual')
    .optional()
    .describe('Whether finished runs are published by themselves. Default: auto'),
  push: oneOf('auto', 'manual')
    .optional()
    .describe(
      'Whether what is published is pushed by itself: transcripts leave the machine then. Default: manual',
    ),
  bodies: oneOf('git', 'bucket', 'summary')
    .optional()
    .describe(
      'Where the documents of samples go: into git, those above bodyLimit into the bucket, or nowhere. Default: the bucket if there is one, else git',
    ),
  bodyLimit: size.optional().describe('Documents above this size go into the bucket. Default: 1 MiB'),
  sources: texts
    .optional()
    .describe('Other places whose runs are listed: folders and buckets of logs, <repository>#<branch>'),
});

export const configSchema = strictObject('the settings', {
  $schema: z.string().optional().describe('Where the schema of this file is, for editors'),
  logDir: text.optional().describe('Where logs go: a path, or a bucket. Default: logs'),
  bucket: text
    .optional()
    .describe(
      'The bucket of the project: journals are shipped there, and heavy documents of results go there',
    ),
  segments: text.optional().describe('Another bucket for the journals alone'),
  queue: text
    .optional()
    .describe(
      'The Redis that hands samples to workers: redis://host. A password belongs into HOLDFAST_QUEUE',
    ),
  concurrency: count.optional().describe('Samples at a time, over all runs of a command'),
  budget: usd
    .optional()
    .describe('US dollars that the runs of a command may cost, over all attempts at them'),
  limits: must('an object of models and their limits', (error) => z.record(z.string(), callLimit, { error }))
    .optional()
    .describe('Limits of calls by model: they hold for all runs of a command, and over all workers'),
  allowUnpriced: truth.optional().describe('Go on with a budget although the price of a model is not known'),
  prices: must('an object of models and their prices', (error) => z.record(z.string(), price, { error }))
    .optional()
    .describe('Prices by model, which add to the built-in ones'),
  baseUrl: text.optional().describe('Where models of openai-compatible/… are served'),
  attempts: count.optional().describe('Go on by itself, with pauses, until nothing is missing'),
  grace: duration.optional().describe('How long Ctrl-C lets running samples finish. Default: 30s'),
  redact: texts
    .optional()
    .describe('Texts, or patterns written as /…/, that are never kept or shown to a target'),
  artifacts: artifacts.optional().describe('Where what is expensive to build is kept and shared'),
  bundle: bundle.optional().describe('What is sent to workers on other machines: the code and what it needs'),
  results: results.optional().describe('How finished runs are kept in git'),
  launch: launch.optional().describe('How workers are started on other machines, by name'),
});

/** What `holdfast.config.ts` exports, and `.yaml` and `.json` hold. */
export type HoldfastConfig = Readonly<z.input<typeof configSchema>>;
