import { z } from 'zod';
import { configSchema } from './config-schema.ts';

/** The settings as JSON Schema, for editors: the text that is shipped as `docs/config.schema.json`. */
export function configJsonSchema(): string {
  // Draft 7 is what editors know best.
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input' });
  const titled = { $schema, title: 'Settings of Holdfast', ...schema };
  return `${JSON.stringify(titled, undefined, 2)}\n`;
}
