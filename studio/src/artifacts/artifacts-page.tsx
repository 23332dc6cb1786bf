import { getRouteApi, Link } from '@tanstack/react-router';
import { type RefObject, useRef } from 'react';
import type { ArtifactsPage, RecipeRow } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAskAgain } from '../data/use-ask-again.ts';
import { usePages } from '../data/use-pages.ts';
import { Asked } from '../ui/asked.tsx';
import { CommandsMenu } from '../ui/commands-menu.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { counted } from '../ui/counted.ts';
import { Empty } from '../ui/empty.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/figures.tsx';
import { formatBytes, formatCount, formatUsd } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import headStyles from '../ui/page-head.module.css';
import { type PlainColumn, PlainTable } from '../ui/plain-table.tsx';
import { recipeShown, shortDigest } from './artifact-words.ts';
import styles from './artifacts-page.module.css';

const route = getRouteApi('/artifacts');
const AGAIN_MS = 15_000;
const rowsOf = (page: ArtifactsPage) => page.recipes;

/** The warm cache: what is built, what it cost, and what of it cannot be used. */
export function Page() {
  const { q } = route.useSearch();
  const scroller = useRef<HTMLDivElement>(null);
  const { head, total, rowAt, onRange } = usePages('artifacts', {}, { q }, rowsOf);
  useAskAgain(['artifacts'], AGAIN_MS);
  return (
    <PageFrame title="Artifacts" head={<Head page={head.data} />}>
      <Asked query={head} what="The warm cache">
        {(page) =>
          page.all === 0 ? (
            <NoArtifacts page={page} />
          ) : (
            <div ref={scroller} className={styles.scroller}>
              {total === 0 ? (
                <Empty title="No artifact has these words" />
              ) : (
                <Recipes total={total} rowAt={rowAt} onRange={onRange} scroller={scroller} />
              )}
            </div>
          )
        }
      </Asked>
    </PageFrame>
  );
}

function Head({ page }: { readonly page: ArtifactsPage | undefined }) {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <header className={headStyles.head}>
      <div className={headStyles.top}>
        <h1>Artifacts</h1>
        {page !== undefined && page.cache !== null && (
          <>
            <Link to="/artifacts/merges">{counted(page.merges, 'merge')} ›</Link>
            <span className={headStyles.actions}>
              <Field
                label="Filter artifacts"
                isLabelHidden
                placeholder="Unit, recipe or run"
                className={styles.filter}
                value={q}
                onChange={(event) => void navigate({ search: { q: event.target.value }, replace: true })}
              />
              <CommandsMenu commands={page.commands} />
            </span>
          </>
        )}
      </div>
      {page !== undefined && page.cache !== null && page.all > 0 && (
        <p className={headStyles.said}>{saidOf(page)}</p>
      )}
      {page?.cache != null && (
        <p className={styles.meta}>
          in <code>{page.cache}</code>
        </p>
      )}
    </header>
  );
}

function saidOf({ units, generations, bytes, usd, unpriced, setAside }: ArtifactsPage): string {
  const price = `${formatUsd(usd)} to build${unpriced > 0 ? `, and ${counted(unpriced, 'generation')} of unknown cost` : ''}`;
  const aside = setAside === 0 ? '' : ` ${counted(setAside, 'damaged generation')} set aside.`;
  return `${counted(units, 'unit')} in ${counted(generations, 'generation')}: ${formatBytes(bytes)}, ${price}.${aside}`;
}

function NoArtifacts({ page }: { readonly page: ArtifactsPage }) {
  if (page.cache === null)
    return (
      <Empty title="No warm cache is looked at here">
        <p>
          It belongs to this machine, and these are the results as they were. Open the Studio as it is to see
          it.
        </p>
      </Empty>
    );
  return (
    <Empty title="Nothing was built yet">
      <p>
        Artifacts are expensive things that samples share. They come with the first run that needs one, or
        with a merge.
      </p>
      <CopyCommand label="Build what an eval needs" command="holdfast artifacts build <evals>" />
    </Empty>
  );
}

interface RecipesProps {
  readonly total: number;
  readonly rowAt: (index: number) => RecipeRow | undefined;
  readonly onRange: (first: number, last: number) => void;
  readonly scroller: RefObject<HTMLElement | null>;
}

function Recipes(props: RecipesProps) {
  return <PlainTable label="Artifacts" columns={COLUMNS} {...props} isWrapped />;
}

const COLUMNS: readonly PlainColumn<RecipeRow>[] = [
  { id: 'state', label: 'State', width: '112px', cell: (row) => <Look shown={recipeShown(row)} /> },
  {
    id: 'unit',
    label: 'Unit',
    width: 'minmax(130px, 2.4fr)',
    cell: (row) => <Unit row={row} />,
  },
  {
    id: 'recipe',
    label: 'Recipe',
    width: '108px',
    cell: ({ recipe }) => <code className={styles.code}>{shortDigest(recipe)}</code>,
  },
  { id: 'version', label: 'Version', width: '60px', cell: ({ version }) => version ?? 'unknown' },
  {
    id: 'generations',
    label: 'Generations',
    width: '92px',
    align: 'right',
    cell: ({ generations, unusable }) =>
      unusable.length === 0
        ? formatCount(generations)
        : `${formatCount(generations)} + ${formatCount(unusable.length)} bad`,
  },
  { id: 'size', label: 'Size', width: '76px', align: 'right', cell: ({ bytes }) => formatBytes(bytes) },
  {
    id: 'cost',
    label: 'Cost',
    width: '76px',
    align: 'right',
    about: 'Of the current generation',
    cell: ({ current }) => (current?.cost.usd == null ? 'unknown' : formatUsd(current.cost.usd)),
  },
  {
    id: 'built',
    label: 'Built',
    width: 'minmax(64px, 0.6fr)',
    cell: ({ current }) => (current === null ? 'unknown' : <Ago time={current.created} />),
  },
];

/** Leads to its recipe; below it why it is not used, where that is so. */
function Unit({ row: { kind, key, recipe, unusable } }: { readonly row: RecipeRow }) {
  const inTheWay = unusable.find(({ isCurrent }) => isCurrent);
  return (
    <>
      <Link to="/artifacts/r/$recipe" params={{ recipe }} className={styles.unit}>
        <span className={styles.quiet}>{kind}/</span>
        <wbr />
        {key}
      </Link>
      {inTheWay !== undefined && <p className={styles.reason}>{inTheWay.reason}</p>}
    </>
  );
}
