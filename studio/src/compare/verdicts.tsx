import type { ComparedRun, Verdict } from '../../../src/server/api.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Popover } from '../ui/popover.tsx';
import { RunLetter } from '../ui/run-letter.tsx';
import { letterOf } from '../ui/run-letters.ts';
import { Comparability } from './comparability.tsx';
import { figureText } from './forest-rows.ts';
import { splitAtLetter, splitSaid } from './verdict-words.ts';
import styles from './verdicts.module.css';

const GLYPHS: Readonly<Record<Verdict, string>> = { better: '▲', worse: '▼', 'cannot tell': '?' };
const TONES: Readonly<Record<Verdict, 'better' | 'worse' | 'unknown'>> = {
  better: 'better',
  worse: 'worse',
  'cannot tell': 'unknown',
};

/** The first thing that is said: whether each of the others is better than the base, as far as it can be told. */
export function Verdicts({ others }: { readonly others: readonly ComparedRun[] }) {
  return (
    <section
      className={styles.verdicts}
      aria-label="Verdict"
      data-many={others.length > 1}
      tabIndex={others.length > 2 ? 0 : undefined}
    >
      {others.map((other, index) => (
        <VerdictLine key={other.item.run} other={other} index={index + 1} />
      ))}
    </section>
  );
}

function VerdictLine({ other, index }: { readonly other: ComparedRun; readonly index: number }) {
  const { headline, rest } = splitSaid(other.said);
  const wouldDecide = other.figures.find(({ wouldDecide: said }) => said !== undefined)?.wouldDecide;
  const spent = other.figures.filter(({ group }) => group === 'spent');
  return (
    <article className={styles.verdict}>
      <span className={classes(styles.glyph, styles[TONES[other.verdict]])} aria-hidden="true">
        {GLYPHS[other.verdict]}
      </span>
      <div className={styles.words}>
        <h2 className={styles.headline}>
          {splitAtLetter(headline, letterOf(index)).map((part, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence
            part === undefined ? <RunLetter key={at} index={index} /> : <span key={at}>{part}</span>,
          )}
        </h2>
        {rest !== '' && <p className={styles.rest}>{rest}</p>}
        {spent.length > 0 && (
          <p className={styles.spent}>
            {spent.map((figure) => (
              <span key={figure.figure}>
                {figure.figure} {figureText(figure, figure.difference)} a sample
                <span className={classes(styles.tag, styles[TONES[figure.verdict]])}>
                  {GLYPHS[figure.verdict]} {figure.verdict}
                </span>
              </span>
            ))}
          </p>
        )}
        {other.verdict === 'cannot tell' && wouldDecide !== undefined && (
          <Popover
            label="What would decide it"
            className={styles.decide}
            opener={(props) => (
              <Button kind="quiet" className={styles.opener} {...props}>
                what would decide it ›
              </Button>
            )}
          >
            {() => <p>{wouldDecide}</p>}
          </Popover>
        )}
        <Comparability changes={other.changes} warnings={other.warnings} />
      </div>
    </article>
  );
}
