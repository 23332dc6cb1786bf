import type { SampleScore } from '../../../../src/server/api.ts';
import { formatScore } from '../../ui/format.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { isObject, plainJson } from '../read-json.ts';
import { ScoreEvidence } from './score-evidence.tsx';
import styles from './scores.module.css';
import type { Evidence } from './use-evidence.ts';

interface ScoreCardProps {
  readonly score: SampleScore;
  /** Absent where there is no transcript to lead to. */
  readonly evidence?: Evidence;
}

/** One score: what became of it, its value, and why. */
export function ScoreCard({ score, evidence }: ScoreCardProps) {
  const { name, outcome, value, number, answer, explanation, metadata, history } = score;
  const shown = typeof value === 'number' ? formatScore(value) : plainJson(value);
  return (
    <section className={styles.card} aria-label={`Score ${name}`}>
      <h2 className={styles.head}>
        <OutcomeBadge outcome={outcome} />
        <span className={styles.name}>{name}</span>
        <span className={styles.value} title={number === undefined ? undefined : String(number)}>
          {shown.length > 24 ? `${shown.slice(0, 24)}…` : shown}
        </span>
      </h2>
      {answer !== undefined && (
        <div>
          <p className={styles.eyebrow}>Answer</p>
          <TextBlock text={answer} as="prose" />
        </div>
      )}
      {explanation !== undefined && (
        <div>
          <p className={styles.eyebrow}>Why</p>
          <TextBlock text={explanation} as="prose" />
        </div>
      )}
      {evidence !== undefined && <ScoreEvidence score={score} evidence={evidence} />}
      {isObject(value) && <JsonTree value={value} />}
      {isObject(metadata) && Object.keys(metadata).length > 0 && <JsonTree value={metadata} openDepth={1} />}
      {history !== undefined && history.length > 0 && (
        <div>
          <p className={styles.eyebrow}>Changed {history.length} times</p>
          <JsonTree value={[...history]} openDepth={1} />
        </div>
      )}
    </section>
  );
}
