import { useMemo } from 'react';
import styles from './ansi.module.css';
import { type TerminalColour, type TerminalStyle, terminalParts } from './terminal-text.ts';

/** Text as a terminal would show it. */
export function Ansi({ text }: { readonly text: string }) {
  const parts = useMemo(() => terminalParts(text), [text]);
  if (parts === undefined) return <>{text}</>;
  return (
    <>
      {parts.map(({ text: said, style }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
        <span key={at} className={classesOf(style)} style={coloursOf(style)}>
          {said}
        </span>
      ))}
    </>
  );
}

/** The sixteen colours are the page's own, which can be read in both themes. */
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

function classesOf({ colour, background, isInverse, decorations }: TerminalStyle): string {
  const behind = typeof background === 'number' ? `ansi-${nameOf(background)}-bg` : undefined;
  const front = typeof colour === 'number' ? `ansi-${nameOf(colour)}` : undefined;
  return [front, behind, isInverse === true ? 'inverse' : undefined, ...decorations]
    .map((name) => name !== undefined && styles[name])
    .filter((name) => typeof name === 'string')
    .join(' ');
}

function nameOf(colour: number): string {
  return `${colour < 8 ? '' : 'bright-'}${NAMES[colour % 8]}`;
}

/** Any other is drawn toward the colour of text (behind it: of the page), so far that it can be read. */
function coloursOf({ colour, background }: TerminalStyle) {
  if (typeof colour !== 'string' && typeof background !== 'string') return undefined;
  const mixed = (value: TerminalColour | undefined, share: number, toward: string) =>
    typeof value === 'string' ? `color-mix(in srgb, rgb(${value}) ${share}%, var(${toward}))` : undefined;
  return { color: mixed(colour, 50, '--text'), background: mixed(background, 20, '--bg') };
}
