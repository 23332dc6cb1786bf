import { Link } from '@tanstack/react-router';
import type { SampleOverTime, SamplePoint } from '../../../src/server/api.ts';
import { classes } from '../ui/classes.ts';
import { formatTime } from '../ui/format.ts';
import { outcomeShown } from '../ui/outcomes.ts';
import { shortCommit, shortDate } from '../ui/run-words.ts';
import { useSize } from '../ui/use-size.ts';
import { commitSpans, lanesOf } from './lanes.ts';
import styles from './sample-lanes.module.css';

/** Of one run, as wide as there is room. */
const TILE_MIN = 22;
const TILE_MAX = 64;
/** From this width on a tile has its day beside it. */
const DATE_MIN = 56;
/** The names of the lanes. */
const NAMES = 192;
/** A commit has a label where it has this much room. */
const LABEL_MIN = 58;

/** A lane for each target, oldest result at the left, with the commits that the runs were made at under them. */
export function SampleLanes({ view }: { readonly view: SampleOverTime }) {
  const { points } = view;
  const [box, size] = useSize<HTMLDivElement>();
  const room = Math.floor(((size?.width ?? 900) - NAMES) / Math.max(1, points.length));
  const tile = Math.max(TILE_MIN, Math.min(TILE_MAX, room));
  const width = points.length * tile;
  return (
    <div
      ref={box}
      className={styles.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      role="region"
      aria-label="Results, oldest at the left"
    >
      <div className={styles.lanes}>
        {lanesOf(points).map(({ target, points: of }) => (
          <div key={target} className={styles.lane}>
            <span className={styles.target} title={target}>
              {target}
            </span>
            <span className={styles.tiles} style={{ width }}>
              {of.map(({ index, point }) => (
                <Tile
                  key={point.run}
                  point={point}
                  left={index * tile}
                  isDated={tile >= DATE_MIN}
                  sample={String(view.sample)}
                />
              ))}
            </span>
          </div>
        ))}
        <div className={styles.lane}>
          <span className={styles.target}>commit</span>
          <span className={styles.commits} style={{ width }}>
            {commitSpans(points).map(({ commit, from, to }) => {
              const span = (to - from + 1) * tile;
              return (
                <span
                  key={from}
                  className={styles.commit}
                  style={{ left: from * tile, width: span - 2 }}
                  title={commit ?? 'commit not known'}
                >
                  {span >= LABEL_MIN && (commit === undefined ? '–' : shortCommit(commit))}
                </span>
              );
            })}
          </span>
        </div>
      </div>
    </div>
  );
}

interface TileProps {
  readonly point: SamplePoint;
  readonly left: number;
  readonly sample: string;
  readonly isDated: boolean;
}

function Tile({ point, left, sample, isDated }: TileProps) {
  const { glyph, word, tone } = outcomeShown(point.outcome);
  const flipped = point.flip === undefined ? '' : `, was ${outcomeShown(point.flip.from).word}`;
  const said = `${formatTime(point.start)} ${point.target}: ${word}${flipped}`;
  return (
    <Link
      to="/runs/$run/s/$sample/$epoch"
      params={{ run: point.run, sample, epoch: '1' }}
      className={classes(styles.tile, styles[tone], point.flip !== undefined && styles.isFlip)}
      style={{ left }}
      title={said}
      aria-label={said}
    >
      <span aria-hidden="true">{glyph}</span>
      {isDated && (
        <span className={styles.date} aria-hidden="true">
          {shortDate(point.start)}
        </span>
      )}
    </Link>
  );
}
