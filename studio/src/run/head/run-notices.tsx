import type { RunView } from '../../../../src/server/api.ts';
import { CopyCommand } from '../../ui/copy.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { progressOf } from '../../ui/run-progress.ts';
import { useNow } from '../../ui/use-now.ts';
import { finishingCommands, firstLine } from './notice-words.ts';
import styles from './run-notices.module.css';

/** What has to be known to read the rest: that the run goes on, stopped, failed or is damaged. */
export function RunNotices({ view }: { readonly view: RunView }) {
  const { form, damage } = view.item;
  return (
    <>
      {form === 'running' && <LiveProgress view={view} />}
      {form === 'interrupted' && <Interrupted view={view} />}
      {form === 'unknown' && <Unseen view={view} />}
      {view.error !== undefined && <Failed error={view.error} view={view} />}
      {(damage !== undefined || view.problems.length > 0) && <Damaged view={view} />}
    </>
  );
}

function LiveProgress({ view }: { readonly view: RunView }) {
  const nowMs = useNow();
  const { facts } = view.item;
  if (facts === undefined) return null;
  const { done, total, share, leftMs } = progressOf(facts, nowMs);
  return (
    <section className={styles.live} aria-label="Progress">
      <span className={styles.state}>
        <span aria-hidden="true">●</span> Live
      </span>
      <progress className={styles.progress} max={1} value={share} aria-label="Samples done" />
      <span>
        {formatCount(done)} of {formatCount(total)} done
      </span>
      <span className={styles.quiet}>
        {leftMs === undefined ? 'no pace yet' : `about ${formatDuration(leftMs)} left`}
      </span>
    </section>
  );
}

function Interrupted({ view }: { readonly view: RunView }) {
  const { counts, commands } = view;
  const kept = counts.total - counts.missing - counts.running - counts.interrupted;
  return (
    <section className={styles.limit} aria-label="Interrupted">
      <p>
        <strong>
          <span aria-hidden="true">◇</span> It stopped before its end.
        </strong>{' '}
        {formatCount(kept)} of {formatCount(counts.total)} are kept. The same command as before completes what
        is missing, and pays for nothing twice.
      </p>
      <Commands commands={finishingCommands(commands)} />
    </section>
  );
}

function Unseen({ view }: { readonly view: RunView }) {
  return (
    <section className={styles.limit} aria-label="Not known whether it goes on">
      <p>
        <strong>
          <span aria-hidden="true">?</span> Nobody can say from here whether it goes on:
        </strong>{' '}
        its process is on another machine.
      </p>
      <Commands commands={finishingCommands(view.commands)} />
    </section>
  );
}

function Failed({ error, view }: { readonly error: string; readonly view: RunView }) {
  const isLong = error.trim() !== firstLine(error);
  return (
    <section className={styles.error} aria-label="Error of the run">
      <p>
        <strong>
          <span aria-hidden="true">!</span> The run ended with an error:
        </strong>{' '}
        {firstLine(error)}
      </p>
      {isLong && (
        <details>
          <summary>All of it</summary>
          <pre className={styles.trace}>{error}</pre>
        </details>
      )}
      {view.item.form !== 'interrupted' && <Commands commands={finishingCommands(view.commands)} />}
    </section>
  );
}

function Damaged({ view }: { readonly view: RunView }) {
  const { item, problems, counts, also } = view;
  const isTold = problems.some(({ message }) => message === item.damage);
  const read = counts.total - counts.missing;
  const whole = also.find(({ damage }) => damage === undefined);
  return (
    <section className={styles.error} aria-label="Damage">
      <p>
        <strong>
          <span aria-hidden="true">✕</span> Part of this run cannot be read.
        </strong>{' '}
        {read > 0 ? `${formatCount(read)} samples could, and are shown.` : 'None of its samples could.'}
        {whole !== undefined && ` A whole copy is in ${whole.place}.`}
      </p>
      <ul className={styles.problems}>
        {item.damage !== undefined && !isTold && <li>{item.damage}</li>}
        {problems.map(({ code, message, hint, place }) => (
          <li key={`${code} ${place ?? ''} ${message}`}>
            {message} <span className={styles.hint}>{hint}</span> <code>{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Commands({ commands }: { readonly commands: RunView['commands'] }) {
  return commands.map(({ what, command }) => (
    <CopyCommand key={command} label={`${what}:`} command={command} />
  ));
}
