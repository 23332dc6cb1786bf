import { Link } from '@tanstack/react-router';
import type { AlignedTranscripts } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { counted } from '../../ui/counted.ts';
import { Choice } from '../../ui/field.tsx';
import { formatTime } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { RunLetter } from '../../ui/run-letter.tsx';
import { nameOfRun, shortCommit } from '../../ui/run-words.ts';
import { epochsOfBoth } from './epochs-of-both.ts';
import styles from './sample-head.module.css';
import type { Side } from './turn-cell.tsx';

interface SampleHeadProps {
  readonly view: AlignedTranscripts;
  readonly isLocked: boolean;
  readonly onLock: (isLocked: boolean) => void;
  readonly differences: number;
  readonly onGo: (step: 1 | -1) => void;
  readonly onEpoch: (epoch: number) => void;
}

/** Which sample, how it ended on both sides, and how one moves. */
export function SampleHead({ view, isLocked, onLock, differences, onGo, onEpoch }: SampleHeadProps) {
  const { sample, sides, firstDivergence } = view;
  const evalName = sides[0]?.item.facts?.eval;
  return (
    <header className={styles.head}>
      <div className={styles.line}>
        <p className={styles.name}>{sample}</p>
        {evalName !== undefined && (
          <Link to="/evals/$eval/s/$sample" params={{ eval: evalName, sample: String(sample) }}>
            over time ›
          </Link>
        )}
        <EpochChoice view={view} onEpoch={onEpoch} />
        <span className={styles.found} role="status">
          {firstDivergence === undefined
            ? 'every turn is the same'
            : `they differ from turn ${firstDivergence + 1} on, in ${differences} ${differences === 1 ? 'place' : 'places'}`}
        </span>
        <span className={styles.tools}>
          <Button kind="quiet" hotkey="[" onClick={() => onGo(-1)} disabled={!isLocked || differences === 0}>
            Previous
          </Button>
          <Button kind="quiet" hotkey="]" onClick={() => onGo(1)} disabled={!isLocked || differences === 0}>
            Next difference
          </Button>
          <Button hotkey="x" isOn={isLocked} onClick={() => onLock(!isLocked)}>
            Scroll together
          </Button>
        </span>
      </div>
      <div className={styles.sides}>
        {sides.map((side, index) => (
          <SideHead key={side.item.run} side={side} index={index} sample={String(sample)} />
        ))}
      </div>
    </header>
  );
}

interface SideHeadProps {
  readonly side: Side;
  readonly index: number;
  readonly sample: string;
}

function SideHead({ side, index, sample }: SideHeadProps) {
  const { item, epoch, outcome, turns } = side;
  return (
    <div className={styles.side}>
      <RunLetter index={index} />
      <strong>{nameOfRun(item)}</strong>
      <OutcomeBadge outcome={outcome} />
      <span className={styles.meta}>
        {counted(turns, 'turn')}
        {epoch > 1 && ` · epoch ${epoch}`}
        {item.facts !== undefined && ` · ${formatTime(item.facts.start).slice(0, 16)}`}
        {item.facts?.code !== undefined && ` · ${shortCommit(item.facts.code.commit)}`}
      </span>
      {outcome !== 'missing' && (
        <Link
          to="/runs/$run/s/$sample/$epoch"
          params={{ run: item.run, sample, epoch: String(epoch) }}
          className={styles.link}
        >
          full transcript ›
        </Link>
      )}
    </div>
  );
}

/** Only where there is more than one. */
function EpochChoice({ view, onEpoch }: Pick<SampleHeadProps, 'view' | 'onEpoch'>) {
  const [a, b] = view.sides;
  const sides = [useEpochs(a, view.sample), useEpochs(b, view.sample)] as const;
  const side = a?.outcome === 'missing' ? b : a;
  const epochs = epochsOfBoth(...sides);
  if (epochs.length < 2 || side === undefined) return null;
  return (
    <Choice
      label="Epoch"
      value={String(side.epoch)}
      options={epochs.map(({ epoch, said }) => ({ value: String(epoch), label: `${epoch} · ${said}` }))}
      onChange={(epoch) => onEpoch(Number(epoch))}
    />
  );
}

function useEpochs(side: Side | undefined, sample: AlignedTranscripts['sample']) {
  const of = useAsk(
    'sample',
    { run: side?.item.run ?? '', sample: String(sample), epoch: side?.epoch ?? 1 },
    {},
    { isOff: side === undefined || side.outcome === 'missing' },
  );
  return of.data?.epochs ?? [];
}
