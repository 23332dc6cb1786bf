import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { METRIC_NAMES } from '../stats/index.ts';
import { definitionSchema } from './definition-schema.ts';
import { SCORER_NAMES } from './index.ts';
import { parseYamlEval } from './yaml-eval.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/writing-evals.md'), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text ?? '',
  );

describe('the guide to writing evals', () => {
  test('it has examples of both kinds', () => {
    for (const language of ['yaml', 'ts']) expect(blocks(language).length, language).toBeGreaterThan(0);
  });

  test.each(blocks('yaml'))('its YAML is accepted: %s', (text) => {
    expect(parseYamlEval(text, { path: 'guide.eval.yaml' }).name).not.toBe('');
  });

  test('its TypeScript runs as it is', async () => {
    await using dir = await makeTempDir();
    const library = pathToFileURL(join(import.meta.dirname, 'index.ts')).href;
    const names = await Promise.all(
      blocks('ts').map(async (text, index) => {
        const name = `example-${index}.eval.ts`;
        await writeFile(join(dir.path, name), text.replaceAll('"holdfast"', JSON.stringify(library)));
        return name;
      }),
    );
    const main = `${names.map((name, index) => `import e${index} from './${name}';`).join('\n')}
      process.stdout.write(JSON.stringify([${names.map((_, index) => `e${index}.name`).join(', ')}]));`;
    await writeFile(join(dir.path, 'main.ts'), main);
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--no-warnings',
      join(dir.path, 'main.ts'),
    ]);
    expect(JSON.parse(stdout)).toEqual(['capitals', 'from-a-file', 'sums', 'own-scorers', 'quiz']);
  });

  test.each([...Object.keys(definitionSchema.shape), ...SCORER_NAMES, ...METRIC_NAMES])(
    'it explains %s',
    (word) => {
      expect(guide).toContain(`\`${word}\``);
    },
  );
});
