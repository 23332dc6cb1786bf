import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { LogEvent } from '../../src/log/index.ts';
import { hasInspectSchema, INSPECT_SCHEMA } from '../fixtures/fixtures.ts';

const DEFINITIONS: Readonly<Record<string, string>> = {
  model: 'ModelEvent',
  tool: 'ToolEvent',
  info: 'InfoEvent',
  sandbox: 'SandboxEvent',
};

/**
 * Checks that each event is of a kind that Inspect knows and says when it happened; in `npm run test:fixtures`, where
 * Inspect's own schema of its log is there, every key of it.
 */
export function expectInspectEvents(events: readonly LogEvent[]): void {
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) {
    expect(Object.keys(DEFINITIONS)).toContain(event.event);
    expect(event).toMatchObject({ timestamp: expect.any(String), working_start: expect.any(Number) });
  }
  if (!hasInspectSchema) return;
  const { components } = JSON.parse(readFileSync(INSPECT_SCHEMA, 'utf8'));
  // It says that a tool's parameter has a default; the logs that Inspect writes leave out one that is null.
  const { JSONSchema: parameter } = components.schemas;
  parameter.required = parameter.required?.filter((name: string) => name !== 'default');
  const ajv = new Ajv.default({
    strict: false,
    validateFormats: false,
    schemas: { inspect: { components } },
  });
  for (const event of events) {
    const validate = ajv.compile({ $ref: `inspect#/components/schemas/${DEFINITIONS[event.event]}` });
    expect(validate(event), JSON.stringify(validate.errors?.slice(0, 5), null, 2)).toBe(true);
  }
}
