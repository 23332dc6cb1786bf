import { basename } from 'node:path';

/** A file of a new project, as text. */
export interface StarterFile {
  readonly name: string;
  readonly text: string;
}

export function starterEval(form: 'ts' | 'yaml'): StarterFile {
  return form === 'ts'
    ? { name: 'capitals.eval.ts', text: TYPESCRIPT }
    : { name: 'capitals.eval.yaml', text: YAML };
}

export function starterPackage(dir: string, version: string): StarterFile {
  const name = basename(dir)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const about = {
    name: name || 'evals',
    private: true,
    type: 'module',
    scripts: { eval: 'holdfast run .' },
    devDependencies: { holdfast: `^${version}` },
  };
  return { name: 'package.json', text: `${JSON.stringify(about, null, 2)}\n` };
}

/** What a project with evals should not put under version control. */
export const IGNORED = ['node_modules/', 'logs/', '.holdfast/'];

const TYPESCRIPT = `import { defineEval, includes } from 'holdfast';

export default defineEval({
  name: 'capitals',
  data: [
    { id: 'france', input: 'What is the capital of France?', target: 'Paris' },
    { id: 'japan', input: 'What is the capital of Japan?', target: 'Tokyo' },
    { id: 'brazil', input: 'What is the capital of Brazil?', target: 'Brasília' },
  ],
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
`;

const YAML = `name: capitals
data:
  - { id: france, input: What is the capital of France?, target: Paris }
  - { id: japan, input: What is the capital of Japan?, target: Tokyo }
  - { id: brazil, input: What is the capital of Brazil?, target: Brasília }
scorers:
  - includes
`;
