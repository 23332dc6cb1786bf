import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../disk/index.ts';
import { openLog } from './index.ts';

const SCHEMA = join(import.meta.dirname, '../../../shared/fixtures/inspect/schema/inspect-openapi.json');
const GOLDEN = join(import.meta.dirname, '../../test/golden/log/v2-zstd.eval');
const isThere = existsSync(SCHEMA);
const name = isThere
  ? "what we write fits Inspect's own schema"
  : "what we write fits Inspect's own schema (skipped: ../shared/fixtures/inspect is not on this machine)";

describe.skipIf(!isThere)(name, () => {
  test.each([
    ['_journal/start.json', 'EvalSpec', (document: Document) => document.eval],
    ['header.json', 'EvalLog', (document: Document) => document],
    ['summaries.json', 'EvalSampleSummary', (document: Document) => document[0]],
    ['reductions.json', 'EvalSampleReductions', (document: Document) => document[0]],
    ['samples/1_epoch_1.json', 'EvalSample', (document: Document) => document],
    ['samples/zwei/../ä_epoch_1.json', 'EvalSample', (document: Document) => document],
    ['samples/3_epoch_1.json', 'EvalSample', (document: Document) => document],
  ])('[LOG-1] %s is a valid %s', async (member, type, pick) => {
    const reader = await openLog(nodeDisk, GOLDEN);
    const text = Buffer.concat(await Array.fromAsync(reader.readMember(member) ?? [])).toString();
    await reader.close();
    // The schema speaks of strict JSON, which has no NaN and no numbers beyond doubles.
    const strict = JSON.parse(text.replace(/:(-?Infinity|NaN)/g, ':0')) as Document;
    const validate = validatorOf(type);
    validate(pick(strict));
    expect((validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)).toEqual(
      [],
    );
  });
});

type Document = Record<string | number, unknown>;

function validatorOf(type: string) {
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false, validateFormats: false });
  ajv.addSchema({ $id: 'inspect', components: schema.components }, 'inspect');
  return ajv.compile({ $ref: `inspect#/components/schemas/${type}` });
}
