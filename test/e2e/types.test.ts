/** The types that are published, in a project of a user: what the guides show compiles there, strictly. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { ROOT, run } from './npm.ts';

const BIN = join(ROOT, 'node_modules/.bin');
const GUIDES = ['writing-evals.md', 'targets.md', 'configuration.md'];

/** Of OpenAI's own SDK no more than how it takes a `fetch`: its types are not among our packages. */
const OPENAI = `
type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
interface Completion { readonly choices: readonly { readonly message: { readonly content: string | null } }[] }
export default class OpenAI {
  constructor(options?: { fetch?: Fetch; apiKey?: string });
  readonly chat: { readonly completions: { create(body: { model: string; messages: { role: 'user'; content: string }[] }): Promise<Completion> } };
}
`;

/** Types that were lost on the way would let everything pass. */
const STRICT = `
import { defineConfig, type HoldfastConfig, type TargetContext } from 'holdfast';
// @ts-expect-error it is a number
export const config: HoldfastConfig = defineConfig({ concurrency: 'many' });
// @ts-expect-error there is no such word
defineConfig({ results: { publsh: 'auto' } });
export async function use({ model, fetch, record }: TargetContext): Promise<number> {
  // @ts-expect-error a model has no such thing
  model.nope();
  // @ts-expect-error a response is no number
  const status: number = await fetch('http://x');
  // @ts-expect-error the result is that of the work
  const text: string = await record('x', {}, () => 1);
  return record('x', {}, async () => status + text.length);
}
`;

test('the TypeScript of the guides passes tsc in a strict project with the packed types', async () => {
  await using dir = await makeTempDir();
  const app = dir.path;
  await install(app);
  const examples = (await Promise.all(GUIDES.map(examplesIn))).flat();
  expect(examples.some((text) => text.includes('generateText({ model'))).toBe(true);
  expect(examples.some((text) => text.includes('new OpenAI({ fetch })'))).toBe(true);
  await Promise.all(examples.map((text, index) => writeFile(join(app, `guide-${index}.eval.ts`), text)));
  await writeFile(join(app, 'strict.eval.ts'), STRICT);
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const checked = run('tsc', ['--project', '.'], { cwd: app, bin: BIN });
  expect(checked.stdout).toBe('');
  expect(checked.status).toBe(0);
});

const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['*.ts'],
};

/** As `npm install` would leave it: our package with its types, and its dependencies beside it. */
async function install(app: string): Promise<void> {
  const modules = join(app, 'node_modules');
  await mkdir(join(modules, 'holdfast'), { recursive: true });
  await mkdir(join(modules, '@types'));
  const outDir = join(modules, 'holdfast/dist');
  const args = ['--project', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', outDir];
  const built = run('tsc', args, { cwd: ROOT, bin: BIN });
  expect(built.stdout).toBe('');
  await writeFile(join(modules, 'holdfast/package.json'), await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['ai', 'zod', '@types/node'])
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  await mkdir(join(modules, 'openai'));
  await writeFile(
    join(modules, 'openai/package.json'),
    JSON.stringify({ name: 'openai', type: 'module', types: 'index.d.ts' }),
  );
  await writeFile(join(modules, 'openai/index.d.ts'), OPENAI);
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', type: 'module' }));
}

/** Whole files only: the guides show parts of evals, too. */
async function examplesIn(guide: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, 'docs/guide', guide), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '');
  return blocks.filter((block) => block.includes('export default'));
}
