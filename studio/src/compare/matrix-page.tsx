import { PageFrame } from '../app/page-frame.tsx';
import { ProblemError } from '../data/problem-error.ts';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Empty } from '../ui/empty.tsx';
import { MatrixPicture } from './matrix/matrix-picture.tsx';
import { MatrixTable } from './matrix/matrix-table.tsx';
import { MatrixToolbar } from './matrix/matrix-toolbar.tsx';
import { useMatrix } from './matrix/use-matrix.ts';

const LIMIT = 20;

/** Samples × runs: what always passes, what always fails, and what flips. */
export function Page() {
  const address = useMatrix();
  const { runs, q, score } = address;
  const view = useAsk(
    'matrix',
    {},
    {
      runs: runs === '' ? undefined : runs,
      q,
      limit: Number(address.limit) || LIMIT,
      score: score === '' ? undefined : score,
    },
    { isKept: true },
  );
  return (
    <PageFrame title="Matrix" head={<h1 className="visually-hidden">Samples × runs</h1>}>
      <MatrixToolbar
        address={address}
        view={view.data}
        limit={Number(address.limit) || LIMIT}
        wrong={wrongFilter(view.error)}
      />
      <Asked query={view} what="The matrix">
        {(answer) =>
          answer.samples.length === 0 ? (
            <Empty title={answer.runs.length === 0 ? 'No run matches' : 'These runs have no samples'}>
              <p>The matrix shows the newest runs of one eval that the filter leaves.</p>
            </Empty>
          ) : address.view === 'table' ? (
            <MatrixTable view={answer} />
          ) : (
            <MatrixPicture view={answer} address={address} />
          )
        }
      </Asked>
    </PageFrame>
  );
}

/** What is wrong with the filter is told where it is written. */
function wrongFilter(error: unknown): { readonly at: number; readonly message: string } | undefined {
  return error instanceof ProblemError && error.code === 'E_FILTER'
    ? { at: 0, message: error.message }
    : undefined;
}
