/** The languages that have colours, and what people call them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  python: ['py', 'python', 'python3'],
  bash: ['bash', 'sh', 'shell', 'zsh', 'console'],
  tsx: ['js', 'javascript', 'jsx', 'mjs', 'ts', 'typescript', 'tsx'],
  json: ['json', 'jsonc', 'json5'],
  diff: ['diff', 'patch'],
  yaml: ['yaml', 'yml'],
  sql: ['sql'],
  html: ['html', 'xml', 'svg'],
  css: ['css'],
  go: ['go', 'golang'],
  rust: ['rs', 'rust'],
  java: ['java'],
  // The grammar of C++ alone is larger than all others together.
  c: ['c', 'h', 'cpp', 'c++', 'cc', 'hpp'],
};

export type Language =
  | 'python'
  | 'bash'
  | 'tsx'
  | 'json'
  | 'diff'
  | 'yaml'
  | 'sql'
  | 'html'
  | 'css'
  | 'go'
  | 'rust'
  | 'java'
  | 'c';

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([language, names]) => names.map((name) => [name, language] as const)),
);

/** Undefined where there are no colours for it. */
export function languageNamed(name: string | undefined): Language | undefined {
  const found = name === undefined ? undefined : BY_NAME.get(name.toLowerCase());
  return isLanguage(found) ? found : undefined;
}

function isLanguage(name: string | undefined): name is Language {
  return name !== undefined && Object.hasOwn(NAMES, name);
}

/** By the ending of a file. */
export function languageOfFile(path: string): Language | undefined {
  return languageNamed(/\.([\w+]+)$/.exec(path)?.[1]);
}
