import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** After the page has set its title. */
const WAIT_MS = 300;

/** Reads the name of a page aloud when it is opened: nothing else tells those who do not see it. */
export function PageName() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [name, setName] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another page
  useEffect(() => {
    const timer = setTimeout(() => setName(document.title), WAIT_MS);
    return () => clearTimeout(timer);
  }, [path]);
  return (
    <p className="visually-hidden" aria-live="polite">
      {name}
    </p>
  );
}
