import { useState } from 'react';
import type { Text } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import styles from './content.module.css';
import { LongText } from './long-text.tsx';
import { Output } from './output.tsx';
import { Prose } from './prose.tsx';

interface TextBlockProps {
  readonly text: Text;
  /** `prose`: what somebody wrote. `output`: what a program printed. `code`: what a program is. */
  readonly as: 'prose' | 'output' | 'code';
  readonly language?: string | undefined;
}

/** A text of any length: what is short is shown as it is meant, what was cut can be opened whole. */
export function TextBlock({ text, as, language }: TextBlockProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (typeof text === 'string') return <Shown text={text} as={as} language={language} />;
  const { head, length, isLater } = text.$cut;
  if (isWhole) return <LongText cut={text.$cut} onClose={() => setIsWhole(false)} />;
  return (
    <div>
      {head !== '' && <Shown text={head} as={as} language={language} />}
      <p className={styles.cut}>
        {isLater === true
          ? 'This text has not been read yet.'
          : `The first ${formatCount(head.length)} of ${formatCount(length)} characters.`}
        <Button kind="quiet" onClick={() => setIsWhole(true)}>
          Show all{isLater === true ? '' : ` (${formatBytes(length)})`}
        </Button>
      </p>
    </div>
  );
}

function Shown({ text, as, language }: TextBlockProps & { readonly text: string }) {
  return as === 'prose' ? <Prose text={text} /> : <Output text={text} language={language} />;
}
