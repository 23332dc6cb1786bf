import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { LogEvent } from '../../src/log/index.ts';

const SCHEMA = join(import.meta.dirname, '../../../shared/fixtures/inspect/schema/inspect-openapi.json');

/** False where the fixtures are absent; tests that need it say so in their name and are skipped. */
export const hasInspectSchema = existsSync(SCHEMA);

const DEFINITIONS: Readonly<Record<string, string>> = {
  model: 'ModelEvent',
  tool: 'ToolEvent',
  info: 'InfoEvent',
  sandbox: 'SandboxEvent',
};

/** Checks events against Inspect's own schema of its log. */
export function expectInspectEvents(events: readonly LogEvent[]): void {
  const { components } = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  // It says that a tool's parameter has a default; the logs that Inspect writes leave out one that is null.
  const { JSONSchema: parameter } = components.schemas;
  parameter.required = parameter.required?.filter((name: string) => name !== 'default');
  const ajv = new Ajv.default({
    strict: false,
    validateFormats: false,
    schemas: { inspect: { components } },
  });
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) {
    const validate = ajv.compile({ $ref: `inspect#/components/schemas/${DEFINITIONS[event.event]}` });
    expect(validate(event), JSON.stringify(validate.errors?.slice(0, 5), null, 2)).toBe(true);
  }
}
