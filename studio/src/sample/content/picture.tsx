import { useState } from 'react';
import type { Text } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import styles from './content.module.css';
import { useWholeText } from './use-whole-text.ts';

const SHOWN = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,/i;
/** More is not decoded for a picture. */
const PICTURE_MAX = 30_000_000;

interface PictureProps {
  readonly source: Text;
  readonly alt?: string;
}

/** A picture that is in the log is shown; one that is elsewhere is named: its host would learn who reads. */
export function Picture({ source, alt = '' }: PictureProps) {
  if (typeof source !== 'string') return <CutPicture source={source} alt={alt} />;
  if (SHOWN.test(source)) return <Shown source={source} alt={alt} />;
  if (/^data:/i.test(source))
    return (
      <p className={styles.note}>
        A picture of a kind that is not shown: <code>{source.slice(0, 60)}</code>
      </p>
    );
  return <RemotePicture source={source} />;
}

function Shown({ source, alt }: { readonly source: string; readonly alt: string }) {
  const [isLarge, setIsLarge] = useState(false);
  return (
    <button
      type="button"
      className={isLarge ? styles.pictureLarge : styles.picture}
      aria-label={isLarge ? 'Make the picture smaller' : 'Make the picture larger'}
      onClick={() => setIsLarge(!isLarge)}
    >
      <img src={source} alt={alt === '' ? 'In the transcript' : alt} />
    </button>
  );
}

/** The page may load nothing from elsewhere, so that nothing in a transcript can: it is opened beside it. */
function RemotePicture({ source }: { readonly source: string }) {
  return (
    <span className={styles.remote}>
      <span>Picture at</span> <code>{source}</code>
      {/^https?:\/\//i.test(source) && (
        <a href={source} target="_blank" rel="noopener noreferrer nofollow">
          Open it
        </a>
      )}
    </span>
  );
}

function CutPicture({ source, alt }: { readonly source: Exclude<Text, string>; readonly alt: string }) {
  const { length, head } = source.$cut;
  const [isAsked, setIsAsked] = useState(length < 400_000);
  const { text, error } = useWholeText(source.$cut, isAsked && length <= PICTURE_MAX);
  if (text !== undefined) return <Picture source={text} alt={alt} />;
  return (
    <p className={styles.note}>
      {error === undefined ? `A picture of ${formatBytes(length)}` : 'This picture cannot be loaded'}
      {head !== '' && ` (${head.slice(0, 40)})`}
      {!isAsked && length <= PICTURE_MAX && (
        <Button kind="quiet" onClick={() => setIsAsked(true)}>
          Show it
        </Button>
      )}
    </p>
  );
}
