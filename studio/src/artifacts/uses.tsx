import { Link } from '@tanstack/react-router';
import type { ArtifactUses } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { classes } from '../ui/classes.ts';
import { ColumnHeads } from '../ui/column-heads.tsx';
import { counted } from '../ui/counted.ts';
import { formatCount, formatTime } from '../ui/format.ts';
import sectionStyles from '../ui/sections.module.css';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './artifact-page.module.css';

/** Which runs used it, as far as the logs here say. */
export function Uses({ recipe }: { readonly recipe: string }) {
  const uses = useAsk('artifactUses', { recipe }, {});
  return (
    <section aria-labelledby="uses">
      <h2 id="uses">Used by</h2>
      <Asked
        query={uses}
        what="The runs that used it"
        waiting={<SkeletonRows rows={3}>Reading logs …</SkeletonRows>}
      >
        {(answer) => <Table uses={answer} />}
      </Asked>
    </section>
  );
}

function Table({ uses }: { readonly uses: ArtifactUses }) {
  const { runs, looked, of, unread } = uses;
  const where =
    looked < of
      ? `The newest ${formatCount(looked)} of ${counted(of, 'run')} were looked into`
      : `${counted(looked, 'run')} here ${looked === 1 ? 'was' : 'were'} looked into`;
  return (
    <>
      <p className={styles.quiet}>
        {where}
        {unread > 0 && `, ${formatCount(unread)} of them cannot be read`}
        {runs.length === 0 ? ': none used it.' : '.'}
      </p>
      {runs.length > 0 && (
        <div className={styles.scroller}>
          <table className={classes(sectionStyles.table, styles.whole)}>
            <ColumnHeads heads={['Run', 'Target', 'When', 'Generation']} />
            <tbody>
              {runs.map(({ run, eval: name, target, start, generation }) => (
                <tr key={`${run} ${generation}`}>
                  <td>
                    <Link to="/runs/$run/{-$tab}" params={{ run }}>
                      {name}
                    </Link>
                  </td>
                  <td>{target}</td>
                  <td>{formatTime(start)}</td>
                  <td>
                    <code>{generation}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
