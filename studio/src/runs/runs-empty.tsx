import { useAsk } from '../data/use-ask.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { Empty } from '../ui/empty.tsx';
import { formatCount } from '../ui/format.ts';
import { termsOf, withoutTerm } from '../ui/query-terms.ts';
import styles from './runs-empty.module.css';
import { isOfTime } from './terms.ts';

/** No runs at all: where was looked, and what to do. */
export function NoRuns() {
  const about = useAsk('about', {}, {});
  return (
    <Empty title="No runs yet">
      <p>Runs appear here by themselves as soon as there are any. Try it with an eval that costs nothing:</p>
      <CopyCommand command="holdfast demo" label="" />
      <p>Or show logs that are elsewhere, also those of Inspect:</p>
      <CopyCommand command="holdfast studio path/to/logs" label="" />
      {about.data !== undefined && (
        <div>
          <p className={styles.quiet}>Looked into:</p>
          <ul>
            {about.data.places.map((place) => (
              <li key={place}>
                <code>{place}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Empty>
  );
}

interface NothingMatchesProps {
  readonly q: string;
  readonly all: number;
  readonly onChange: (q: string) => void;
}

/** There are runs, but the filter leaves none: which part of it can go. */
export function NothingMatches({ q, all, onChange }: NothingMatchesProps) {
  const terms = termsOf(q);
  return (
    <Empty title="No run matches">
      <p>None of {formatCount(all)} runs matches all of this:</p>
      <p className={styles.terms}>
        {terms.map((term) => (
          <Chip key={term} onRemove={() => onChange(withoutTerm(q, term))} removeLabel={`Without ${term}`}>
            <code>{term}</code>
          </Chip>
        ))}
      </p>
      <HiddenByTime q={q} onChange={onChange} />
      <Button onClick={() => onChange('')}>Clear the filter</Button>
    </Empty>
  );
}

function HiddenByTime({ q, onChange }: { readonly q: string; readonly onChange: (q: string) => void }) {
  const rest = termsOf(q)
    .filter((term) => !isOfTime(term))
    .join(' ');
  const isAny = rest !== termsOf(q).join(' ');
  const without = useAsk('runs', {}, { q: rest, limit: 0 }, { isOff: !isAny });
  if (!isAny || without.data === undefined || without.data.total === 0) return null;
  return (
    <p>
      {formatCount(without.data.total)} are hidden by the date.{' '}
      <Button kind="quiet" onClick={() => onChange(rest)}>
        Show them
      </Button>
    </p>
  );
}
