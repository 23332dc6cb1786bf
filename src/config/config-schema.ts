/** What a project may say for all its evals and commands. The JSON Schema that editors use is made of this. */
import { z } from 'zod';
import { mustBe, strictObject } from '../evals/index.ts';

const text = must('a text that is not empty', (error) => z.string({ error }).regex(/\S/, { error }));
const texts = must('a list of texts', (error) => z.array(text, { error }));
const truth = must('true or false', (error) => z.boolean({ error }));
const count = must('a whole number of at least 1', (error) => z.int({ error }).min(1, { error }));
const usd = must('US dollars above 0, such as 2.50', (error) => z.number({ error }).positive({ error }));
const perMillion = must('US dollars of at least 0', (error) => z.number({ error }).min(0, { error }));

const duration = must('a duration such as 30s, 5m or 1.5h', (error) =>
  z.union([z.string().regex(/^\d+(\.\d+)?\s*(ms|s|min|m|h)?$/, { error }), z.number().min(0)], { error }),
);
const size = must('a size such as 256 KiB or 1 MiB, or a number of bytes', (error) =>
  z.union([z.string().regex(/^\d+(\.\d+)?\s*([kKMG]i?)?B?$/, { error }), z.int().min(0)], { error }),
);

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
  concurrency: count.optional().describe('Samples at a time, over all runs of a command'),
  budget: usd
    .optional()
    .describe('US dollars that the runs of a command may cost, over all attempts at them'),
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
  results: results.optional().describe('How finished runs are kept in git'),
});

/** What `holdfast.config.ts` exports, and `.yaml` and `.json` hold. */
export type HoldfastConfig = Readonly<z.input<typeof configSchema>>;

/** A schema whose every failure reads `must be <what>, not <what it is>`. */
function must<T>(what: string, make: (error: (issue: { input?: unknown }) => string) => T): T {
  return make((issue) => mustBe(what, issue.input));
}

function oneOf<const T extends string>(...words: readonly [T, ...T[]]) {
  return must(`one of ${words.join(', ')}`, (error) => z.enum(words, { error }));
}
