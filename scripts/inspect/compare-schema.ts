// Compares the shapes that Holdfast holds its logs to with those that the installed Inspect reads.

import { DOCUMENTS } from '../../src/log/shapes/check-document.ts';
import type { ObjectShape, Shape } from '../../src/log/shapes/shape.ts';
import { runPython, type Workplace } from './workplace.ts';

/** As pydantic prints it. */
interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
}

/** Of the whole log only the header is one document; these are kept elsewhere or not at all. */
const NOT_IN_HEADER = new Set(['samples', 'reductions', 'location', 'etag']);

/** Every difference in keys, kinds, words and what is required, one sentence each; and how many shapes were compared. */
export async function schemaDifferences(
  place: Workplace,
): Promise<{ readonly compared: number; readonly differences: readonly string[] }> {
  const finished = await runPython(place, ['describe_schema.py']);
  if (finished.exitCode !== 0) throw new Error(`describe_schema.py failed: ${finished.stderr.slice(-1000)}`);
  const theirs: Readonly<Record<string, JsonSchema>> = JSON.parse(finished.stdout);
  const ours = namedShapes();
  const differences = [...ours].flatMap(([name, shape]) => {
    const their = theirs[name];
    return their ? objectDifferences(name, shape, their) : [`${name} is unknown to Inspect`];
  });
  return { compared: ours.size, differences };
}

function objectDifferences(name: string, shape: ObjectShape, schema: JsonSchema): string[] {
  const theirs = schema.properties ?? {};
  const isCompared = (key: string) => name !== 'EvalLog' || !NOT_IN_HEADER.has(key);
  const keys = new Set([...Object.keys(theirs).filter(isCompared), ...shape.keys.keys()]);
  const found = [...keys].flatMap((key) => keyDifferences(`${name}.${key}`, key, { shape, schema, theirs }));
  return schema.additionalProperties === false ? [...found, `${name} allows no further keys`] : found;
}

function keyDifferences(
  place: string,
  key: string,
  of: {
    readonly shape: ObjectShape;
    readonly schema: JsonSchema;
    readonly theirs: Readonly<Record<string, JsonSchema>>;
  },
): string[] {
  const mine = of.shape.keys.get(key);
  const their = of.theirs[key];
  if (!mine) return [`${place} is new in Inspect: ${their && spellSchema(their)}`];
  if (!their) return [`${place} is no longer in Inspect`];
  const [ours, wanted] = [spellShape(mine), spellSchema(their)];
  // What tells several objects apart is always written, although Inspect has a default for it.
  const isRequired = of.schema.required?.includes(key) || their.const !== undefined;
  return [
    ...(ours === wanted ? [] : [`${place}: ours ${ours}, Inspect's ${wanted}`]),
    ...(of.shape.required.includes(key) === isRequired
      ? []
      : [`${place} is ${isRequired ? '' : 'not '}required by Inspect`]),
  ];
}

/** All shapes of ours that have a name, found from the documents. */
function namedShapes(): ReadonlyMap<string, ObjectShape> {
  const found = new Map<string, ObjectShape>();
  const visit = (shape: Shape): void => {
    if (shape.kind === 'object') {
      if (found.has(shape.name)) return;
      found.set(shape.name, shape);
      for (const inner of shape.keys.values()) visit(inner);
    } else for (const inner of innerOf(shape)) visit(inner);
  };
  for (const shape of Object.values(DOCUMENTS)) visit(shape);
  return found;
}

function innerOf(shape: Exclude<Shape, ObjectShape>): readonly Shape[] {
  switch (shape.kind) {
    case 'orNull':
      return [shape.shape];
    case 'list':
      return [shape.item];
    case 'record':
      return [shape.value];
    case 'tuple':
      return shape.items;
    case 'anyOf':
      return shape.options;
    case 'tagged':
      return [...shape.options.values()];
    case 'lazy':
      return [shape.get()];
    default:
      return [];
  }
}

function spellShape(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
    case 'timeText':
      return 'string';
    case 'flag':
      return 'boolean';
    case 'oneOf':
      return union([...shape.values].map((value) => JSON.stringify(value)));
    case 'orNull':
      return union([spellShape(shape.shape), 'null']);
    case 'list':
      return `[${inner(spellShape(shape.item))}]`;
    case 'tuple':
      return `(${shape.items.map((item) => inner(spellShape(item))).join(', ')})`;
    case 'record':
      return `{*: ${inner(spellShape(shape.value))}}`;
    case 'anyOf':
      return union(shape.options.map(spellShape));
    case 'tagged':
      return union([...shape.options.values()].map(spellShape));
    case 'lazy':
      return spellShape(shape.get());
    case 'object':
    case 'passed':
      return shape.name;
    default:
      return shape.kind;
  }
}

function spellSchema(schema: JsonSchema): string {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return name === 'JsonValue' ? 'anything' : name;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return union(options.map(spellSchema));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.type === 'array')
    return schema.prefixItems
      ? `(${schema.prefixItems.map((item) => inner(spellSchema(item))).join(', ')})`
      : `[${inner(spellSchema(schema.items ?? {}))}]`;
  if (schema.type === 'object') {
    const { additionalProperties: items } = schema;
    return `{*: ${typeof items === 'object' ? inner(spellSchema(items)) : 'anything'}}`;
  }
  if (schema.type === 'string' && schema.format === 'date-time') return 'time';
  return schema.type ?? 'anything';
}

/** Options inside brackets are kept apart from those around them. */
function inner(spelled: string): string {
  return spelled.replaceAll(' | ', '/');
}

/** In one order, and without what another option takes in already. */
function union(options: readonly string[]): string {
  const flat = new Set(options.flatMap((option) => option.split(' | ')));
  if (flat.has('anything')) return 'anything';
  if (flat.has('number')) flat.delete('integer');
  if (flat.has('string')) for (const option of flat) if (option.startsWith('"')) flat.delete(option);
  return [...flat].sort().join(' | ');
}
