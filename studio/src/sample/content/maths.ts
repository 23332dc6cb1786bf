import type { Options } from 'react-markdown';
import rehypeKatex from 'rehype-katex';

/** MathML is drawn by the browser itself: no fonts, no styles. */
export const KATEX: NonNullable<Options['rehypePlugins']> = [
  [rehypeKatex, { output: 'mathml', strict: 'ignore', trust: false, maxExpand: 200 }],
];
