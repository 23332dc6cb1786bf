import { useState } from 'react';
import type { Note, SampleView } from '../../../../src/server/api.ts';
import { useData } from '../../data/data-context.tsx';
import { useAsk } from '../../data/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { Ago } from '../../ui/figures.tsx';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { Problem } from '../../ui/problem.tsx';
import { whyNotSaid } from '../../ui/why-not-said.ts';
import styles from './scores.module.css';

interface NotesProps {
  readonly view: SampleView;
  readonly onEvent: (uuid: string) => void;
  readonly isWriting: boolean;
  readonly onWriting: (isWriting: boolean) => void;
  readonly about: number | undefined;
  readonly uuidOf: (event: number) => Promise<string | undefined>;
}

/** What people said of this sample. It is kept beside the log, never in it. */
export function Notes({ view, onEvent, isWriting, onWriting, about, uuidOf }: NotesProps) {
  const { data } = useAsk('about', {}, {});
  const whyNot = whyNotSaid(data, view.kept === undefined ? [] : [view.kept]);
  const canWrite = data?.canWrite === true && whyNot === undefined;
  return (
    <section className={styles.part} aria-label="Notes">
      <h2 className={styles.title}>
        Notes
        <Button
          kind="quiet"
          icon="note"
          hotkey="m"
          disabled={!canWrite}
          title={whyNot}
          onClick={() => onWriting(true)}
        >
          Write
        </Button>
      </h2>
      {isWriting && canWrite && (
        <Writing view={view} about={about} uuidOf={uuidOf} onDone={() => onWriting(false)} />
      )}
      {whyNot !== undefined && <p className={styles.none}>Notes cannot be written here: {whyNot}</p>}
      {view.notes.length === 0 && !(isWriting && canWrite) && (
        <p className={styles.none}>Nobody has said anything yet.</p>
      )}
      {view.notes.map((note) => (
        <NoteView key={note.id} note={note} onEvent={onEvent} />
      ))}
    </section>
  );
}

function NoteView({ note, onEvent }: { readonly note: Note; readonly onEvent: (uuid: string) => void }) {
  const { event } = note;
  return (
    <div className={styles.note}>
      <p className={styles.by}>
        <b>{note.by}</b> <Ago time={note.time} />
        {note.verdict !== undefined && (
          <OutcomeBadge outcome={note.verdict === 'unsure' ? 'unscored' : note.verdict}>
            {note.verdict === 'unsure' ? note.verdict : undefined}
          </OutcomeBadge>
        )}
        {event !== undefined && (
          <Button kind="quiet" className={styles.to} onClick={() => onEvent(event)}>
            to the event
          </Button>
        )}
      </p>
      {note.text !== undefined && <p className={styles.text}>{note.text}</p>}
    </div>
  );
}

interface WritingProps {
  readonly view: SampleView;
  readonly about: number | undefined;
  readonly uuidOf: (event: number) => Promise<string | undefined>;
  readonly onDone: () => void;
}

function Writing({ view, about, uuidOf, onDone }: WritingProps) {
  const data = useData();
  const [text, setText] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async () => {
    if (text.trim() === '') return;
    setIsSending(true);
    setError(undefined);
    try {
      const { run, id: sample, epoch } = view;
      const event = about === undefined ? undefined : await uuidOf(about);
      await data.say({
        kind: 'note',
        run,
        text: text.trim(),
        sample,
        epoch,
        ...(event !== undefined && { event }),
      });
      onDone();
    } catch (reason) {
      setError(reason);
    }
    setIsSending(false);
  };
  return (
    <form
      className={styles.writing}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        aria-label="Note"
        className={styles.area}
        rows={3}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody pressed the key for it
        autoFocus
        value={text}
        placeholder={about === undefined ? 'About this sample' : 'About the event that is marked'}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
        }}
      />
      <span className={styles.buttons}>
        <Button type="submit" kind="primary" disabled={isSending || text.trim() === ''}>
          Keep it
        </Button>
        <Button kind="quiet" onClick={onDone}>
          Cancel
        </Button>
      </span>
      {error !== undefined && <Problem error={error} what="The note" />}
    </form>
  );
}
