import { useEffect, useState } from 'react';
import { useConnection } from '../data/data-context.tsx';
import { Button } from '../ui/button.tsx';
import styles from './connection-bar.module.css';

/** Says that the server is gone, and when it is tried again. What was shown last stays. */
export function ConnectionBar() {
  const { state, retry } = useConnection();
  if (state.is !== 'lost') return null;
  return (
    <div className={styles.bar} role="status">
      <span>Connection lost. What you see is the last that was known.</span>
      <Countdown until={state.retryAt} />
      <Button kind="quiet" onClick={retry}>
        Try now
      </Button>
    </div>
  );
}

function Countdown({ until }: { readonly until: number }) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - nowMs) / 1_000));
  return <span aria-hidden="true">{seconds === 0 ? 'Trying …' : `Next try in ${seconds} s`}</span>;
}
