import { lazy, Suspense } from 'react';
import { useSampleHere } from '../sample-here.ts';
import styles from './content.module.css';
import { hasMarkup } from './prose-text.ts';

const Markdown = lazy(() => import('./markdown.tsx'));
/** Nobody reads it, and laying it out would take a second. */
const MARKDOWN_MAX = 60_000;

/** What somebody wrote: as Markdown, or as it is. */
export function Prose({ text }: { readonly text: string }) {
  const { isRaw } = useSampleHere();
  if (isRaw || text.length > MARKDOWN_MAX || !hasMarkup(text))
    return <div className={styles.raw}>{text}</div>;
  return (
    <Suspense fallback={<div className={styles.raw}>{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
}
