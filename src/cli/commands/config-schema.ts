import { configJsonSchema } from '../../config/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';

export const command = defineCommand({
  summary: 'Print the JSON Schema of the settings',
  description: `Prints what a file of settings may say, as JSON Schema (draft 7), for editors. The same text is in the package:
docs/config.schema.json.`,
  options: [],
  examples: [['holdfast config schema > holdfast.schema.json', 'for an editor without the package']],
  exits: { 0: 'printed' },
  async run({ terminal }) {
    await terminal.write(configJsonSchema());
    return EXIT.ok;
  },
});
