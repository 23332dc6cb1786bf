import { Link } from '@tanstack/react-router';
import type { GenerationView } from '../../../src/server/api.ts';
import { counted } from '../ui/counted.ts';
import { formatBytes, formatCount, formatTime, formatUsd } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import sectionStyles from '../ui/sections.module.css';
import styles from './artifact-page.module.css';
import { generationShown, shortDigest } from './artifact-words.ts';
import { Fact } from './fact.tsx';

type Relative = GenerationView['madeInto'][number];

/** One generation: what it is, who built it for how much, and what it has to do with others. */
export function GenerationCard({ generation: one }: { readonly generation: GenerationView }) {
  const { cost, producer, supersedes, supersededBy, madeOf, madeInto } = one;
  return (
    <article className={styles.card} aria-label={`Generation ${one.generation}`}>
      <div className={styles.title}>
        <h3>{one.generation}</h3>
        <Look shown={generationShown(one)} />
        <code className={styles.quiet}>{shortDigest(one.digest)}</code>
      </div>
      <dl className={sectionStyles.facts}>
        <Fact name="Built">
          {formatTime(one.created)} with Holdfast {producer.version} <Builder generation={one} />
        </Fact>
        <Fact name="Cost">
          {cost.usd === null ? 'unknown' : formatUsd(cost.usd)}, {counted(cost.calls, 'call')},{' '}
          {counted(cost.tokens, 'token')}
        </Fact>
        {supersedes.length > 0 && <Fact name="Takes the place of">{codes(supersedes)}</Fact>}
        {supersededBy.length > 0 && <Fact name="Superseded by">{codes(supersededBy)}</Fact>}
        {madeOf.length > 0 && (
          <Fact name="Made of">
            {madeOf.map(({ name, digest, found }) =>
              found === undefined ? (
                <span key={digest} className={styles.link}>
                  {name} <code className={styles.quiet}>{shortDigest(digest)}</code>, not here any more
                </span>
              ) : (
                <Leads key={digest} to={found} />
              ),
            )}
          </Fact>
        )}
        {madeInto.length > 0 && (
          <Fact name="Made into">
            {madeInto.map((other) => (
              <Leads key={`${other.recipe} ${other.generation}`} to={other} />
            ))}
          </Fact>
        )}
        {one.notes !== undefined && <Fact name="Notes">{one.notes}</Fact>}
      </dl>
      <Files generation={one} />
    </article>
  );
}

/** The run that built it: led to where its log is here. Early versions did not know it. */
function Builder({ generation: { producer, isRunHere } }: { readonly generation: GenerationView }) {
  if (producer.run === 'build') return null;
  return (
    <>
      in run{' '}
      {isRunHere ? (
        <Link to="/runs/$run/{-$tab}" params={{ run: producer.run }}>
          <code>{producer.run}</code>
        </Link>
      ) : (
        <>
          <code>{producer.run}</code> <span className={styles.quiet}>(its log is not here)</span>
        </>
      )}
    </>
  );
}

function Leads({ to: { kind, key, recipe, generation } }: { readonly to: Relative }) {
  return (
    <Link to="/artifacts/r/$recipe" params={{ recipe }} className={styles.link} title={generation}>
      {kind}/{key}
    </Link>
  );
}

function codes(generations: readonly string[]) {
  return generations.map((generation) => (
    <code key={generation} className={styles.link}>
      {generation}
    </code>
  ));
}

function Files({ generation: { files, filesOf, bytes } }: { readonly generation: GenerationView }) {
  return (
    <details className={styles.files}>
      <summary>
        {counted(filesOf, 'file')}, {formatBytes(bytes)}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ul tabIndex={0} aria-label="Files">
        {files.map(({ path, size }) => (
          <li key={path}>
            <span>{path}</span>
            <span className={styles.quiet}>{formatBytes(size)}</span>
          </li>
        ))}
        {filesOf > files.length && <li>and {formatCount(filesOf - files.length)} more</li>}
      </ul>
    </details>
  );
}
