import type { CSSProperties } from 'react';
import { createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { Language } from './languages.ts';

export interface CodeToken {
  readonly text: string;
  /** `--shiki-light` and `--shiki-dark`: one set of tokens for both themes. */
  readonly style: CSSProperties | undefined;
}

const LOAD = {
  python: () => import('shiki/langs/python.mjs'),
  bash: () => import('shiki/langs/bash.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  c: () => import('shiki/langs/c.mjs'),
} as const satisfies Record<Language, () => Promise<unknown>>;

let highlighter: Promise<HighlighterCore> | undefined;

function getHighlighter(): Promise<HighlighterCore> {
  highlighter ??= createHighlighterCore({
    themes: [import('shiki/themes/github-light-high-contrast.mjs'), import('shiki/themes/github-dark.mjs')],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return highlighter;
}

export async function highlight(
  text: string,
  language: Language,
): Promise<readonly (readonly CodeToken[])[]> {
  const made = await getHighlighter();
  if (!made.getLoadedLanguages().includes(language)) await made.loadLanguage(LOAD[language]());
  const { tokens } = made.codeToTokens(text, {
    lang: language,
    themes: { light: 'github-light-high-contrast', dark: 'github-dark' },
    defaultColor: false,
    tokenizeMaxLineLength: 2_000,
  });
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }) => ({ text: content, style: variablesOf(htmlStyle) })),
  );
}

/** Only the two colours: they become variables, which the theme chooses between. */
function variablesOf(style: Readonly<Record<string, string>> | undefined): CSSProperties | undefined {
  if (style === undefined) return undefined;
  const wanted = Object.entries(style).filter(([key]) => key === '--shiki-light' || key === '--shiki-dark');
  return Object.fromEntries(wanted);
}
