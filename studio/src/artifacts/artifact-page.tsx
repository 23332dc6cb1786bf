import { getRouteApi, Link } from '@tanstack/react-router';
import type { ArtifactView } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { useAskAgain } from '../data/use-ask-again.ts';
import { Asked } from '../ui/asked.tsx';
import { classes } from '../ui/classes.ts';
import { CommandsMenu } from '../ui/commands-menu.tsx';
import { Ago } from '../ui/figures.tsx';
import { Badge } from '../ui/outcome.tsx';
import sectionStyles from '../ui/sections.module.css';
import styles from './artifact-page.module.css';
import { shortDigest } from './artifact-words.ts';
import { Fact } from './fact.tsx';
import { GenerationCard } from './generation-card.tsx';
import { Uses } from './uses.tsx';

const route = getRouteApi('/artifacts/r/$recipe');
const AGAIN_MS = 15_000;

/** One recipe of a unit: what decides it, its generations, where they come from, and which runs used them. */
export function Page() {
  const { recipe } = route.useParams();
  const view = useAsk('artifact', { recipe }, {});
  useAskAgain(['artifact'], AGAIN_MS);
  const { data } = view;
  const title = data === undefined ? 'Artifact' : `${data.kind}/${data.key}`;
  return (
    <PageFrame title={title} head={data === undefined ? undefined : <Head view={data} />}>
      <Asked query={view} what="This artifact">
        {(answer) => <Artifact view={answer} />}
      </Asked>
    </PageFrame>
  );
}

function Head({ view }: { readonly view: ArtifactView }) {
  return (
    <header className={styles.head}>
      <h1>
        <span className={styles.kind}>{view.kind}/</span>
        {view.key}
      </h1>
      <Link to="/artifacts">all artifacts ›</Link>
      <span className={styles.actions}>
        <CommandsMenu commands={view.commands} />
      </span>
    </header>
  );
}

function Artifact({ view }: { readonly view: ArtifactView }) {
  return (
    <div className={classes(sectionStyles.page, styles.narrow)}>
      <Recipe view={view} />
      <Unusable view={view} />
      <section aria-labelledby="generations">
        <h2 id="generations">Generations</h2>
        {view.generations.length === 0 && <p className={styles.quiet}>None of them can be read.</p>}
        <ul className={styles.cards}>
          {view.generations.map((generation) => (
            <li key={generation.generation}>
              <GenerationCard generation={generation} />
            </li>
          ))}
        </ul>
      </section>
      {view.generations.length > 0 && <Uses recipe={view.recipe} />}
    </div>
  );
}

function Recipe({ view }: { readonly view: ArtifactView }) {
  const { recipe, version, parameters, inputs, siblings } = view;
  return (
    <section aria-labelledby="recipe">
      <h2 id="recipe">Recipe</h2>
      <dl className={sectionStyles.facts}>
        <Fact name="Digest">
          <code>{recipe}</code>
        </Fact>
        <Fact name="Version">{version ?? 'unknown'}</Fact>
        {parameters !== undefined && (
          <Fact name="Parameters">
            <code>{parameters}</code>
          </Fact>
        )}
        {inputs.map(({ name, kind, digest }) => (
          <Fact key={name} name={`Input (${kind})`}>
            {name} <code className={styles.quiet}>{shortDigest(digest)}</code>
          </Fact>
        ))}
        {siblings.length > 0 && (
          <Fact name="Other recipes">
            {siblings.map(({ recipe: other, created }) => (
              <Link
                key={other}
                to="/artifacts/r/$recipe"
                params={{ recipe: other }}
                className={styles.sibling}
              >
                <code>{shortDigest(other)}</code>
                {created !== undefined && (
                  <span className={styles.quiet}>
                    {' '}
                    <Ago time={created} /> ago
                  </span>
                )}
              </Link>
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Unusable({ view }: { readonly view: ArtifactView }) {
  if (view.unusable.length === 0) return null;
  return (
    <section aria-labelledby="unusable">
      <h2 id="unusable">What cannot be used</h2>
      <ul className={styles.unusable}>
        {view.unusable.map(({ generation, reason, place, isCurrent, isNewer }) => (
          <li key={generation}>
            <p>
              <Badge tone={isNewer ? 'quiet' : 'error'} glyph={isNewer ? '?' : '✕'}>
                {isNewer ? 'newer format' : 'damaged'}
              </Badge>{' '}
              <code>{generation}</code> {reason}
            </p>
            <p className={styles.quiet}>
              {isCurrent &&
                'It would be the current one, so nothing of this recipe is used until a whole copy comes, or a rebuild. '}
              It lies in <code>{place}</code>.
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
