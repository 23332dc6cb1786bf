import { z } from 'zod';
import { closest } from '../base/index.ts';
import { METRIC_NAMES, METRIC_OPTIONS, type MetricName } from '../stats/index.ts';
import { amount, count, isPlainObject, oneOf, text, whole } from './plain-checks.ts';
import { chosen, mustBe, strictObject } from './strict-object.ts';

const level = amount.refine((value) => value < 1, { error: 'must be between 0 and 1, such as 0.95' });

/** `"accuracy"`, or `{ name: "stderr", options: { cluster: "topic" } }`. */
export const metricSchema: z.ZodType = chosen((value) => {
  const name = isPlainObject(value) ? value.name : value;
  if (typeof name !== 'string') return mustBe('the name of a metric', value);
  if (!isKnown(name)) return unknownMetric(name);
  if (typeof value === 'string') return name === 'grouped' ? NEEDS_OPTIONS : z.unknown();
  return strictObject('a metric', {
    name: text,
    options: name === 'grouped' ? optionsOf(name) : optionsOf(name).optional(),
  });
});

const NEEDS_OPTIONS =
  'is grouped without options; write { name: "grouped", options: { metric: "mean", group_key: "topic" } }';

const OPTIONS = {
  cluster: text.optional(),
  level: level.optional(),
  method: oneOf('t', 'bootstrap').optional(),
  num_samples: count.optional(),
  seed: whole.optional(),
  group_key: text,
  all: z
    .union([oneOf('samples', 'groups'), z.literal(false)], {
      error: 'must be "samples", "groups" or false',
    })
    .optional(),
  all_label: text.optional(),
  metric: z.lazy(() => metricSchema),
} as const;

function optionsOf(name: MetricName) {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, schema] of Object.entries(OPTIONS)) {
    if (METRIC_OPTIONS[name].includes(key)) shape[key] = schema;
  }
  return strictObject(`the options of ${name}`, shape);
}

function isKnown(name: string): name is MetricName {
  return (METRIC_NAMES as readonly string[]).includes(name);
}

function unknownMetric(name: string): string {
  const guess = closest(name, METRIC_NAMES);
  const next = guess === undefined ? `; there are ${METRIC_NAMES.join(', ')}` : `; did you mean "${guess}"?`;
  return `names a metric that does not exist, "${name}"${next}`;
}
