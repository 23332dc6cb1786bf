import { type ComponentProps, useEffect, useState } from 'react';
import ReactMarkdown, { defaultUrlTransform, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Code } from './code.tsx';
import styles from './content.module.css';
import { remarkMaths } from './math-syntax.ts';
import { hasMaths, withMathFences } from './math-words.ts';
import { Picture } from './picture.tsx';

const PARSED: NonNullable<Options['remarkPlugins']> = [remarkGfm, remarkMaths];
const PLAIN: NonNullable<Options['remarkPlugins']> = [remarkGfm];

/** Hostile text never becomes markup: there is no HTML in what is made of it. */
export default function Markdown({ text }: { readonly text: string }) {
  const drawn = useMaths(hasMaths(text));
  return (
    <div className={styles.markdown}>
      <MarkdownText text={text} drawn={drawn} />
    </div>
  );
}

/** `drawn`: what draws maths; undefined as long as it is not there, and maths is shown as it was written. */
export function MarkdownText({
  text,
  drawn,
}: {
  readonly text: string;
  readonly drawn: Options['rehypePlugins'] | undefined;
}) {
  return (
    <ReactMarkdown
      remarkPlugins={drawn === undefined ? PLAIN : PARSED}
      rehypePlugins={drawn ?? []}
      components={COMPONENTS}
      urlTransform={(url, key) => (key === 'href' || isPicture(url) ? url : defaultUrlTransform(url))}
    >
      {drawn === undefined ? text : withMathFences(text)}
    </ReactMarkdown>
  );
}

function isPicture(url: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);/.test(url);
}

const NOTHING_DRAWN: NonNullable<Options['rehypePlugins']> = [];

/** Maths is large, and most texts have none. */
function useMaths(isNeeded: boolean): Options['rehypePlugins'] | undefined {
  const [plugins, setPlugins] = useState<Options['rehypePlugins']>();
  useEffect(() => {
    if (!isNeeded) return;
    let isHere = true;
    void import('./maths.ts').then(({ KATEX }) => isHere && setPlugins(KATEX));
    return () => {
      isHere = false;
    };
  }, [isNeeded]);
  return isNeeded ? plugins : NOTHING_DRAWN;
}

const COMPONENTS: Options['components'] = {
  a: Link,
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

/** An address that must not be followed (`javascript:`) is part of the text, as it was written. */
function Link({ href = '', children }: ComponentProps<'a'>) {
  if (href === '') return children;
  if (defaultUrlTransform(href) === '')
    return (
      <>
        {children} ({href})
      </>
    );
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function Heading({ children }: ComponentProps<'h1'>) {
  return <p className={styles.heading}>{children}</p>;
}

function MarkdownCode({ className, children }: ComponentProps<'code'>) {
  const text = String(children ?? '');
  const language = /language-([\w+-]+)/.exec(className ?? '')?.[1];
  if (language === undefined && !text.includes('\n')) return <code className={styles.inline}>{text}</code>;
  return <Code text={text.replace(/\n$/, '')} language={language} />;
}
