/**
 * Makes the golden logs of old shapes below `shapes/`, each with a JSON of what it must read as. Run it only to add one:
 * `node test/golden/log/make-golden-shapes.ts`. What is there already is left as it is, because bytes once golden stay.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '../../../src/base/index.ts';
import { CHUNKED } from './shapes/chunked.ts';
import { CONTAINERS } from './shapes/containers.ts';
import { OLD_NAMES } from './shapes/old-names.ts';

const dir = join(import.meta.dirname, 'shapes');
for (const { file, clause, bytes, reads } of [...CONTAINERS, ...OLD_NAMES, ...CHUNKED]) {
  if (existsSync(join(dir, file))) continue;
  writeFileSync(join(dir, file), bytes);
  writeFileSync(join(dir, `${file}.expected.json`), `${stringifyJson({ clause, ...reads })}\n`);
}
