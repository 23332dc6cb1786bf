import type { EvalDefinition } from './eval.ts';
import type { YamlReading } from './parse-yaml.ts';

/** Reads a `*.eval.yaml`. The parser is loaded when there is something to parse: most evals are TypeScript. */
export async function readYamlEval(
  text: string,
  options: { readonly path: string },
): Promise<EvalDefinition> {
  const { parseYamlEval } = await import('./yaml-eval.ts');
  return parseYamlEval(text, options);
}

/** Reads any other YAML text. */
export async function readYaml(text: string): Promise<YamlReading> {
  const { parseYaml } = await import('./parse-yaml.ts');
  return parseYaml(text);
}
