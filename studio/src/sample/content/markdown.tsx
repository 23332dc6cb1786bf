import { type ComponentProps, useEffect, useState } from 'react';
import ReactMarkdown, { defaultUrlTransform, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Code } from './code.tsx';
import styles from './content.module.css';
import { mathsIn } from './math-words.ts';
import { Picture } from './picture.tsx';

type Plugins = Pick<Options, 'remarkPlugins' | 'rehypePlugins'>;

const PLAIN: Plugins = { remarkPlugins: [remarkGfm], rehypePlugins: [] };

/** Hostile text never becomes markup: there is no HTML in what is made of it. */
export default function Markdown({ text }: { readonly text: string }) {
  const plugins = usePlugins(text);
  return (
    <div className={styles.markdown}>
      <ReactMarkdown
        remarkPlugins={plugins.remarkPlugins ?? []}
        rehypePlugins={plugins.rehypePlugins ?? []}
        components={COMPONENTS}
        urlTransform={(url, key) =>
          key === 'src' && /^data:image\/(?:png|jpeg|gif|webp);/.test(url) ? url : defaultUrlTransform(url)
        }
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** Maths is large, and most texts have none. */
function usePlugins(text: string): Plugins {
  const { has, single } = mathsIn(text);
  const [maths, setMaths] = useState<Plugins>();
  useEffect(() => {
    if (!has) return;
    let isHere = true;
    void import('./maths.ts').then(({ mathPlugins }) => isHere && setMaths(mathPlugins(single)));
    return () => {
      isHere = false;
    };
  }, [has, single]);
  if (!has || maths === undefined) return PLAIN;
  return { remarkPlugins: [remarkGfm, ...(maths.remarkPlugins ?? [])], rehypePlugins: maths.rehypePlugins };
}

const COMPONENTS: Options['components'] = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <Picture source={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  pre: ({ children }) => <>{children}</>,
  code: MarkdownCode,
  table: ({ children }) => (
    <div className={styles.tableScroll}>
      <table>{children}</table>
    </div>
  ),
  // Headings of a transcript are not headings of the page.
  h1: (props) => <Heading {...props} />,
  h2: (props) => <Heading {...props} />,
  h3: (props) => <Heading {...props} />,
  h4: (props) => <Heading {...props} />,
  h5: (props) => <Heading {...props} />,
  h6: (props) => <Heading {...props} />,
  input: ({ checked }) => <span>{checked === true ? '☑ ' : '☐ '}</span>,
};

function Heading({ children }: ComponentProps<'h1'>) {
  return <p className={styles.heading}>{children}</p>;
}

function MarkdownCode({ className, children }: ComponentProps<'code'>) {
  const text = String(children ?? '');
  const language = /language-([\w+-]+)/.exec(className ?? '')?.[1];
  if (language === undefined && !text.includes('\n')) return <code className={styles.inline}>{text}</code>;
  return <Code text={text.replace(/\n$/, '')} language={language} />;
}
