import type { About } from '../../../src/server/api.ts';
import { IconButton } from '../ui/button.tsx';
import { useCopy } from '../ui/copy.tsx';
import { addressAt } from './pinned-address.ts';
import styles from './top-bar.module.css';

/** Copies the present address at the commit of the results: it shows for ever what is seen of them now. */
export function CopyLastingLink({ about }: { readonly about: About }) {
  const { isCopied, copy } = useCopy();
  const { lasting, commit, isExport } = about;
  if (isExport || commit === undefined) return null;
  const label =
    lasting === undefined
      ? 'There is no link that stays yet: what was fetched is not united with what is here ("holdfast results sync")'
      : 'Copy a link that stays';
  return (
    <IconButton
      icon={isCopied ? 'check' : 'link'}
      label={isCopied ? 'Copied' : label}
      className={styles.lasting}
      disabled={lasting === undefined}
      onClick={() => copy(addressAt(location, lasting))}
    />
  );
}
