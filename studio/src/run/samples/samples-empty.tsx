import type { RunView } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Empty } from '../../ui/empty.tsx';
import { formatCount } from '../../ui/format.ts';
import { termsOf, withoutTerm } from '../../ui/query-terms.ts';
import styles from './samples-empty.module.css';

/** The run has no samples: why that is depends on how far it came. */
export function NoSamples({ view }: { readonly view: RunView }) {
  const { form } = view.item;
  if (form === 'running')
    return (
      <Empty title="No sample has begun yet">
        <p>Samples appear here by themselves as soon as they do.</p>
      </Empty>
    );
  return (
    <Empty title="This run has no samples">
      <p>
        {view.problems.length > 0
          ? 'None of them could be read: what is wrong is said above.'
          : form === 'interrupted'
            ? 'It was stopped before the first of them had begun.'
            : 'Its log lists none.'}
      </p>
    </Empty>
  );
}

interface NoMatchProps {
  readonly q: string;
  readonly all: number;
  readonly onChange: (q: string) => void;
}

/** There are samples, but the filter leaves none: which part of it can go. */
export function NoSampleMatches({ q, all, onChange }: NoMatchProps) {
  return (
    <Empty title="No sample matches">
      <p>
        {all === 1
          ? 'The only sample does not match all of this:'
          : `None of ${formatCount(all)} samples matches all of this:`}
      </p>
      <p className={styles.terms}>
        {termsOf(q).map((term) => (
          <Chip key={term} onRemove={() => onChange(withoutTerm(q, term))} removeLabel={`Without ${term}`}>
            <code>{term}</code>
          </Chip>
        ))}
      </p>
      <Button onClick={() => onChange('')}>Clear the filter</Button>
    </Empty>
  );
}
