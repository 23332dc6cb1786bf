import type { MatrixView, RunItem } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { formatScore } from '../../ui/format.ts';
import { nameOfRun, shortDate } from '../../ui/run-words.ts';
import styles from './matrix-heads.module.css';
import { columnName, labelStep } from './matrix-layout.ts';

/** From this width on there is room for the target beside the score. */
const TARGET_MIN = 32;

interface MatrixHeadsProps {
  readonly view: MatrixView;
  readonly wide: number;
  readonly left: number;
  readonly height: number;
  /** The column of the cursor. */
  readonly column: number | undefined;
}

/** Letter, score and day of each run, from below to above; as many as there is room for. */
export function MatrixHeads({ view, wide, left, height, column }: MatrixHeadsProps) {
  const step = labelStep(wide);
  return (
    <div className={styles.heads} style={{ height, width: left + view.runs.length * wide + 16 }}>
      <span className={styles.about} style={{ width: left - 8 }}>
        {view.score ?? 'outcome'}
      </span>
      {view.runs.map((run, index) =>
        index % step === 0 || index === column ? (
          <span
            key={run.run}
            className={classes(styles.head, index === column && styles.isOn)}
            style={{ left: left + index * wide + wide / 2 }}
            title={nameOfRun(run)}
          >
            <strong>{columnName(index, view.runs.length)}</strong> {scoreOf(run, view.score)}{' '}
            <span className={styles.date}>{run.facts === undefined ? '' : shortDate(run.facts.start)}</span>
            {wide >= TARGET_MIN && run.facts !== undefined && (
              <span className={styles.target}>{run.facts.target.split('/').at(-1)}</span>
            )}
          </span>
        ) : null,
      )}
    </div>
  );
}

function scoreOf({ facts }: RunItem, name: string | undefined): string {
  const score = facts?.scores.find((one) => one.name === name) ?? facts?.scores[0];
  return score === undefined ? '–' : formatScore(score.value);
}
