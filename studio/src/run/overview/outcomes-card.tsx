import type { RunView } from '../../../../src/server/api.ts';
import cardStyles from '../../ui/cards.module.css';
import { classes } from '../../ui/classes.ts';
import { formatCount, formatPercent } from '../../ui/format.ts';
import { hasTerm, toggleTerm, withoutTerm } from '../../ui/query-terms.ts';
import shareStyles from '../../ui/share-bar.module.css';
import type { RunAddress } from '../use-run-address.ts';
import { type OutcomePart, outcomeParts, outcomesSaid, resultsSaid } from './outcome-parts.ts';
import barStyles from './outcomes-card.module.css';
import styles from './overview.module.css';
import { ScoreSpread } from './score-spread.tsx';

interface OutcomesCardProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** The whole of the results as one bar, each part with its count; a click leaves only those in the table. */
export function OutcomesCard({ view, address }: OutcomesCardProps) {
  const { counts, epochs } = view;
  const parts = outcomeParts(counts, view.item.form === 'running');
  const filter = (term: string) => {
    const others = parts.flatMap((part) => (part.term === undefined || part.term === term ? [] : part.term));
    const rest = others.reduce((q, other) => withoutTerm(q, other), address.q);
    address.setTab('samples', { q: toggleTerm(rest, term) });
  };
  return (
    <section className={classes(cardStyles.card, styles.results)} aria-label="Results">
      <h2 className={cardStyles.eyebrow}>{outcomesSaid(counts)}</h2>
      {counts.total > 0 && (
        <div className={shareStyles.bar} aria-hidden="true">
          {parts.map((part) => (
            <Segment key={part.outcome} part={part} onFilter={filter} />
          ))}
        </div>
      )}
      <ul className={barStyles.legend}>
        {parts.map((part) => (
          <li key={part.outcome}>
            <Part
              part={part}
              isOn={part.term !== undefined && hasTerm(address.q, part.term)}
              onFilter={filter}
            />
          </li>
        ))}
      </ul>
      <p className={styles.quiet}>{resultsSaid(counts, epochs)}</p>
      {counts.number > 0 && <ScoreSpread view={view} address={address} />}
    </section>
  );
}

interface PartProps {
  readonly part: OutcomePart;
  readonly isOn?: boolean;
  readonly onFilter: (term: string) => void;
}

/** For the pointer only: the list below has the same for everybody. */
function Segment({ part, onFilter }: PartProps) {
  const { term, count, glyph, word, tone, share } = part;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has a button for each of them
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <span
      className={classes(
        shareStyles.segment,
        part.outcome === 'number' && barStyles.scored,
        term !== undefined && barStyles.press,
      )}
      data-tone={tone}
      style={{ flexGrow: count }}
      title={`${formatCount(count)} ${word} (${formatPercent(share)})`}
      onClick={() => term !== undefined && onFilter(term)}
    >
      {share > 0.05 && glyph}
    </span>
  );
}

function Part({ part, isOn = false, onFilter }: PartProps) {
  const { term, count, glyph, word, tone, share } = part;
  const inside = (
    <>
      <span className={shareStyles.glyph} data-tone={tone} aria-hidden="true">
        {glyph}
      </span>
      {formatCount(count)} {word}
    </>
  );
  const title = formatPercent(share);
  if (term === undefined)
    return (
      <span className={barStyles.part} title={title}>
        {inside}
      </span>
    );
  return (
    <button
      type="button"
      className={classes(barStyles.part, barStyles.button, isOn && barStyles.isOn)}
      aria-pressed={isOn}
      title={title}
      onClick={() => onFilter(term)}
    >
      {inside}
    </button>
  );
}
