import { Fragment, useEffect, useState } from 'react';
import styles from './content.module.css';
import type { CodeToken } from './highlight.ts';
import { languageNamed } from './languages.ts';

const HIGHLIGHT_MAX = 200_000;

/** Code, with colours as soon as its language is loaded; the text stands still meanwhile. */
export function Code({ text, language }: { readonly text: string; readonly language?: string | undefined }) {
  const lines = useHighlighted(text, language);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <pre className={styles.code} tabIndex={0}>
      {lines === undefined
        ? text
        : lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never move
            <Fragment key={at}>
              {at > 0 && '\n'}
              {line.map((token, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do its words
                <span key={column} className={styles.token} style={token.style}>
                  {token.text}
                </span>
              ))}
            </Fragment>
          ))}
    </pre>
  );
}

function useHighlighted(text: string, language: string | undefined) {
  const known = text.length <= HIGHLIGHT_MAX ? languageNamed(language) : undefined;
  const [found, setFound] = useState<{
    readonly text: string;
    readonly lines: readonly (readonly CodeToken[])[];
  }>();
  useEffect(() => {
    if (known === undefined) return;
    let isHere = true;
    import('./highlight.ts')
      .then(({ highlight }) => highlight(text, known))
      .then(
        (lines) => isHere && setFound({ text, lines }),
        // Without colours it can be read as well.
        () => undefined,
      );
    return () => {
      isHere = false;
    };
  }, [text, known]);
  return found?.text === text ? found.lines : undefined;
}
