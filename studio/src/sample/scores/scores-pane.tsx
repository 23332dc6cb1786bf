import type { SampleView } from '../../../../src/server/api.ts';
import { CopyCommand } from '../../ui/copy.tsx';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { ContentBlocks } from '../content/content-blocks.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { MessageView } from '../events/message-view.tsx';
import { isObject } from '../read-json.ts';
import { Notes } from './notes.tsx';
import { ScoreCard } from './score-card.tsx';
import styles from './scores.module.css';
import type { Evidence } from './use-evidence.ts';

interface ScoresPaneProps {
  readonly view: SampleView;
  readonly evidence: Evidence;
  /** Goes to an event that a note is about. */
  readonly onEvent: (uuid: string) => void;
  readonly isWriting: boolean;
  readonly onWriting: (isWriting: boolean) => void;
  /** The event that is focused: what is written now is about it. */
  readonly about: number | undefined;
  readonly uuidOf: (event: number) => Promise<string | undefined>;
}

/** How a sample was judged, by programs and by people, and what it was asked. */
export function ScoresPane({ view, evidence, ...notes }: ScoresPaneProps) {
  return (
    <div className={styles.pane}>
      {view.scores.length === 0 && <p className={styles.none}>Nothing has scored this sample.</p>}
      {view.scores.map((score) => (
        <ScoreCard key={score.name} score={score} evidence={evidence} />
      ))}
      {view.error !== undefined && (
        <section className={styles.card} aria-label="Error">
          <h2 className={styles.error}>
            <span aria-hidden="true">! </span>Error
          </h2>
          <TextBlock text={view.error.message} as="output" />
        </section>
      )}
      <Notes view={view} {...notes} />
      <Part title="Target" value={view.expected} />
      <Part title="Input" value={view.input} />
      {isObject(view.metadata) && Object.keys(view.metadata).length > 0 && (
        <section className={styles.part} aria-label="Metadata">
          <h2 className={styles.title}>Metadata</h2>
          <JsonTree value={view.metadata} />
        </section>
      )}
      {view.commands.map(({ what, command }) => (
        <CopyCommand key={command} label={what} command={command} />
      ))}
    </div>
  );
}

function Part({ title, value }: { readonly title: string; readonly value: SampleView['input'] }) {
  if (value === null || value === '') return null;
  const isMessages = Array.isArray(value) && value.every((one) => isObject(one) && 'role' in one);
  return (
    <section className={styles.part} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {isMessages ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages of one input never move
        value.map((message, at) => <MessageView key={at} message={message} />)
      ) : (
        <ContentBlocks content={value} as="prose" />
      )}
    </section>
  );
}
