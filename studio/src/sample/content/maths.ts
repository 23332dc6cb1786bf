import type { Options } from 'react-markdown';
import rehypeKatex from 'rehype-katex';
import remarkMath from 'remark-math';

/** MathML is drawn by the browser itself: no fonts, no styles. */
export function mathPlugins(single: boolean): Pick<Options, 'remarkPlugins' | 'rehypePlugins'> {
  return {
    remarkPlugins: [[remarkMath, { singleDollarTextMath: single }]],
    rehypePlugins: [[rehypeKatex, { output: 'mathml', strict: 'ignore', trust: false, maxExpand: 200 }]],
  };
}
