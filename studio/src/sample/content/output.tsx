import { use, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { useSampleHere } from '../sample-here.ts';
import { IsSought } from '../sought.ts';
import { Ansi } from './ansi.tsx';
import { Code } from './code.tsx';
import styles from './content.module.css';
import { countLines, firstLines, prettyJson } from './output-text.ts';

/** Longer outputs are folded to their first lines. */
const LINES_MAX = 24;
const LINES_SHOWN = 16;

/** What a program printed: its colours, JSON laid out, long ones folded. */
export function Output({
  text,
  language,
}: {
  readonly text: string;
  readonly language?: string | undefined;
}) {
  const { isRaw } = useSampleHere();
  const pretty = useMemo(() => (isRaw ? undefined : prettyJson(text)), [text, isRaw]);
  const shown = pretty ?? text;
  const { head, lines, isFolded, open } = useFirstLines(shown);
  return (
    <div>
      {pretty !== undefined || language !== undefined ? (
        <Code text={head} language={pretty === undefined ? language : 'json'} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <pre className={styles.output} tabIndex={0}>
          {isRaw ? head : <Ansi text={head} />}
        </pre>
      )}
      {isFolded && (
        <Button kind="quiet" className={styles.more} onClick={open}>
          + {formatCount(lines - LINES_SHOWN)} lines
        </Button>
      )}
    </div>
  );
}

function useFirstLines(text: string) {
  const [isOpen, setIsOpen] = useState(false);
  const lines = useMemo(() => countLines(text), [text]);
  const isSought = use(IsSought);
  const isFolded = lines > LINES_MAX && !isOpen && !isSought;
  const head = isFolded ? firstLines(text, LINES_SHOWN) : text;
  return { head, lines, isFolded, open: () => setIsOpen(true) };
}
