import Anser from 'anser';
import { useMemo } from 'react';
import styles from './ansi.module.css';

/** Text with the colours that a terminal would show. What else a terminal does with such codes is left out. */
export function Ansi({ text }: { readonly text: string }) {
  const parts = useMemo(
    () => (text.includes('\u001b') ? Anser.ansiToJson(text, ANSI_OPTIONS) : undefined),
    [text],
  );
  if (parts === undefined) return <>{text}</>;
  return (
    <>
      {parts.map(({ content, fg, bg, decorations, fg_truecolor }, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
          key={at}
          className={[
            fg !== null && fg !== '' && styles[fg],
            bg !== null && bg !== '' && styles[`${bg}-bg`],
            ...decorations.map((decoration) => styles[decoration]),
          ]
            .filter((name) => typeof name === 'string')
            .join(' ')}
          style={fg === 'ansi-truecolor' ? { color: `rgb(${fg_truecolor})` } : undefined}
        >
          {content}
        </span>
      ))}
    </>
  );
}

const ANSI_OPTIONS = { use_classes: true, remove_empty: true, json: true } as const;
