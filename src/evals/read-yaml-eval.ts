import type { EvalDefinition } from './eval.ts';

/** Reads a `*.eval.yaml`. The parser is loaded when there is something to parse: most evals are TypeScript. */
export async function readYamlEval(
  text: string,
  options: { readonly path: string },
): Promise<EvalDefinition> {
  const { parseYamlEval } = await import('./yaml-eval.ts');
  return parseYamlEval(text, options);
}
