import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import styles from './group-heads.module.css';
import type { MatrixLayout } from './matrix-layout.ts';
import type { GroupName } from './matrix-model.ts';

const WORDS: Readonly<Record<GroupName, { glyph: string; about: string }>> = {
  flips: { glyph: '⇄', about: 'flip: passed in one run and not in another, what flips most first' },
  'always fails': { glyph: '✗', about: 'always fail' },
  'always passes': { glyph: '✓', about: 'always pass' },
  'not judged': { glyph: '○', about: 'were neither passed nor failed' },
};

interface GroupHeadsProps {
  readonly layout: MatrixLayout;
  readonly onFold: (name: GroupName) => void;
}

/** The line above each group: what its samples have in common, how many they are, and whether they are shown. */
export function GroupHeads({ layout, onFold }: GroupHeadsProps) {
  return layout.groups.map(({ name, rows, top, isFolded }) => (
    <button
      key={name}
      type="button"
      className={styles.head}
      style={{ top }}
      aria-expanded={!isFolded}
      onClick={() => onFold(name)}
      onPointerUp={(event) => event.stopPropagation()}
    >
      <Icon name={isFolded ? 'chevron-right' : 'chevron-down'} size={12} />
      <span aria-hidden="true">{WORDS[name].glyph}</span>
      <strong>{formatCount(rows.length)}</strong> {WORDS[name].about}
    </button>
  ));
}
