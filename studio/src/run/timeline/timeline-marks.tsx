import { formatDuration } from '../../ui/format.ts';
import styles from './timeline.module.css';
import type { Mark } from './timeline-layout.ts';

interface TimelineMarksProps {
  readonly marks: readonly Mark[];
  readonly x: (ms: number) => number;
  readonly top: number;
  readonly height: number;
  readonly row: number;
  readonly left: number;
}

const ROWS = ['rate limit', 'retry', 'config'] as const;
const LABELS = { 'rate limit': 'waits', retry: 'retries', config: 'settings' } as const;

/** Waits as hatched stretches, retries as ticks, settings as diamonds; a crash goes through everything. */
export function TimelineMarks({ marks, x, top, height, row, left }: TimelineMarksProps) {
  return (
    <g>
      <defs>
        <pattern
          id="hatched"
          width={6}
          height={6}
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect className={styles.hatch} width={3} height={6} />
        </pattern>
      </defs>
      {ROWS.map((kind, at) => (
        <g key={kind}>
          <text className={styles.label} x={left - 10} y={top + at * row + row / 2 + 4}>
            {LABELS[kind]}
          </text>
          {marks
            .filter((mark) => mark.kind === kind)
            .map((mark, index) => (
              <One
                // biome-ignore lint/suspicious/noArrayIndexKey: a mark has no other name
                key={index}
                mark={mark}
                x={x}
                y={top + at * row + row / 2}
              />
            ))}
        </g>
      ))}
      {marks
        .filter(({ kind }) => kind === 'crash')
        .map(({ at, to, said }) => (
          <g key={at}>
            <title>{said}</title>
            <rect
              className={styles.crash}
              x={x(at)}
              width={Math.max(2, x(to ?? at) - x(at))}
              y={0}
              height={height}
            />
            <text className={styles.crashLabel} x={x(to ?? at) + 5} y={12}>
              ✕ crash at {formatDuration(at)}
            </text>
          </g>
        ))}
    </g>
  );
}

interface OneProps {
  readonly mark: Mark;
  readonly x: (ms: number) => number;
  readonly y: number;
}

function One({ mark: { at, to, kind, said }, x, y }: OneProps) {
  if (kind === 'rate limit')
    return (
      <rect className={styles.wait} x={x(at)} width={Math.max(2, x(to ?? at) - x(at))} y={y - 5} height={10}>
        <title>{said}</title>
      </rect>
    );
  if (kind === 'retry')
    return (
      <line className={styles.retry} x1={x(at)} x2={x(at)} y1={y - 5} y2={y + 5}>
        <title>{said}</title>
      </line>
    );
  return (
    <path className={styles.setting} d={`M${x(at)},${y - 5}l5,5l-5,5l-5,-5Z`}>
      <title>{said}</title>
    </path>
  );
}
