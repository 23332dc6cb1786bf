import { getRouteApi, Link } from '@tanstack/react-router';
import type { EvalView } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { counted } from '../ui/counted.ts';
import { Empty } from '../ui/empty.tsx';
import { Choice } from '../ui/field.tsx';
import styles from './eval-page.module.css';
import { TrendChart } from './trend-chart.tsx';
import { Flaky, NewlyFailing } from './turned-tables.tsx';

const route = getRouteApi('/evals/$eval');

/** The history of one eval: how its targets go, what broke lately, and what cannot be trusted. */
export function Page() {
  const { eval: name } = route.useParams();
  const { score } = route.useSearch();
  const view = useAsk('eval', { eval: name }, { score: score === '' ? undefined : score }, { isKept: true });
  return (
    <PageFrame title={name} head={<EvalHead name={name} view={view.data} />}>
      <Asked query={view} what="The history of this eval">
        {(answer) => <History view={answer} />}
      </Asked>
    </PageFrame>
  );
}

function EvalHead({ name, view }: { readonly name: string; readonly view: EvalView | undefined }) {
  const navigate = route.useNavigate();
  const { score } = route.useSearch();
  const shown = view?.points.findLast((point) => point.score !== undefined)?.score;
  const filter = `eval:${/^[\w./-]+$/.test(name) ? name : JSON.stringify(name)}`;
  return (
    <header className={styles.head}>
      <h1>{name}</h1>
      {view !== undefined && <span className={styles.meta}>{counted(view.points.length, 'run')}</span>}
      <Link to="/runs" search={{ q: filter }}>
        runs ›
      </Link>
      <Link to="/matrix" search={{ q: filter }}>
        matrix ›
      </Link>
      {view !== undefined && view.metrics.length > 1 && (
        <span className={styles.choice}>
          <Choice
            label="Score"
            value={score === '' ? `${shown?.name ?? ''} ${shown?.metric ?? ''}` : score}
            options={view.metrics.map((metric) => ({ value: metric, label: metric }))}
            onChange={(next) => void navigate({ search: { score: next }, replace: true })}
          />
        </span>
      )}
    </header>
  );
}

function History({ view }: { readonly view: EvalView }) {
  const metric = view.points.findLast(({ score }) => score !== undefined)?.score;
  return (
    <div className={styles.page}>
      {view.points.length === 0 ? (
        <Empty title="This eval has no runs that can be read" />
      ) : (
        <TrendChart
          points={view.points}
          metric={metric === undefined ? 'score' : `${metric.name} ${metric.metric}`}
        />
      )}
      <NewlyFailing view={view} />
      <Flaky view={view} />
      <footer>
        <CopyCommand command={view.command} label="Same history" />
      </footer>
    </div>
  );
}
