import { use, useLayoutEffect, useRef, useState } from 'react';
import type { AnyJson } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { textAt, valueAt } from '../read-json.ts';
import { IsSought } from '../sought.ts';
import styles from './content.module.css';
import { TextBlock } from './text-block.tsx';

/** What a model thought: its first lines, until more is wanted. */
export function Reasoning({ block }: { readonly block: AnyJson }) {
  const [isOpened, setIsOpen] = useState(false);
  const isOpen = use(IsSought) || isOpened;
  const [isLong, setIsLong] = useState(false);
  const shown = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = shown;
    if (current !== null && !isOpen) setIsLong(current.scrollHeight > current.clientHeight + 1);
  }, [isOpen]);
  const isRedacted = valueAt(block, 'redacted') === true;
  const text = textAt(block, isRedacted ? 'summary' : 'reasoning') ?? textAt(block, 'summary');
  return (
    <div className={styles.reasoning}>
      <p className={styles.eyebrow}>{isRedacted ? 'Thinking, kept back by the provider' : 'Thinking'}</p>
      {text !== undefined && (
        <div ref={shown} className={classes(!isOpen && styles.firstLines)}>
          <TextBlock text={text} as="prose" />
        </div>
      )}
      {(isLong || isOpen) && (
        <Button
          kind="quiet"
          className={styles.more}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Less' : 'All of it'}
        </Button>
      )}
    </div>
  );
}
