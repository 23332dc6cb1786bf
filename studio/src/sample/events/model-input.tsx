import { useState } from 'react';
import { useAsk } from '../../data/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { listAt, stringAt } from '../read-json.ts';
import { useSampleHere } from '../sample-here.ts';
import styles from './events.module.css';
import { MessageView } from './message-view.tsx';

interface ModelInputProps {
  readonly event: number;
  readonly count: number;
}

/** What a model was given, asked for when somebody wants to see it: it is most of a transcript, again and again. */
export function ModelInput({ event, count }: ModelInputProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (count === 0) return null;
  return (
    <>
      <Button
        kind="quiet"
        className={styles.small}
        icon={isOpen ? 'chevron-down' : 'chevron-right'}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {formatCount(count)} {count === 1 ? 'message' : 'messages'} given
      </Button>
      {isOpen && <Messages event={event} />}
    </>
  );
}

function Messages({ event }: { readonly event: number }) {
  const { run, sample, epoch, attempt } = useSampleHere();
  const query = attempt === undefined ? {} : { attempt };
  const { data, error, refetch } = useAsk('event', { run, sample, epoch, event }, query);
  const [isAll, setIsAll] = useState(false);
  if (error !== null)
    return <Problem error={error} onRetry={() => void refetch()} what="What it was given" />;
  if (data === undefined) return <span className={styles.full}>Loading …</span>;
  const messages = listAt(data, 'input');
  const firstNew = messages.findLastIndex((message) => stringAt(message, 'role') === 'assistant') + 1;
  const shown = isAll ? messages : messages.slice(firstNew);
  return (
    <span className={styles.full}>
      {firstNew > 0 && (
        <Button kind="quiet" className={styles.small} onClick={() => setIsAll(!isAll)}>
          {isAll
            ? 'Only what is new'
            : `${formatCount(firstNew)} given before, ${messages.length - firstNew} new`}
        </Button>
      )}
      {shown.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages of one call never move
        <MessageView key={at} message={message} />
      ))}
    </span>
  );
}
