import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Problem } from '../ui/problem.tsx';
import { nameOfRun } from '../ui/run-words.ts';
import { RunLoaded } from './run-loaded.tsx';
import { RunWaiting } from './run-waiting.tsx';
import { useRunAddress } from './use-run-address.ts';

/** One run: how it went, its samples, when what happened, what it cost, and how it was set up. */
export function Page() {
  const address = useRunAddress();
  const view = useAsk('run', { run: address.run }, address.askedScore, { isKept: true });
  // What is kept must not be of another run.
  const data = view.data?.item.run === address.run ? view.data : undefined;
  const title = data === undefined ? 'Run' : nameOfRun(data.item);
  return (
    <PageFrame title={title} head={null}>
      {data !== undefined ? (
        <RunLoaded key={address.run} view={data} address={address} />
      ) : view.isError ? (
        <>
          <h1 className="visually-hidden">Run {address.run}</h1>
          <Problem error={view.error} onRetry={() => void view.refetch()} what="This run" />
        </>
      ) : (
        <RunWaiting run={address.run} />
      )}
    </PageFrame>
  );
}
