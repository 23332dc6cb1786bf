// Builds what is published: src/ as JavaScript with its types, in dist/.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './set-up.mjs';

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
run('tsc', ['--project', 'tsconfig.build.json']);
