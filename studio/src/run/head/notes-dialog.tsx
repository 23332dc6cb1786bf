import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { Note, RunView } from '../../../../src/server/api.ts';
import { useData } from '../../data/data-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Ago } from '../../ui/figures.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './notes-dialog.module.css';

interface NotesDialogProps {
  readonly view: RunView;
  /** Why no note can be written; undefined when one can. */
  readonly cannotWrite: string | undefined;
  readonly onClose: () => void;
}

/** What people said of the run, and a place to say something. Kept beside the log, never in it. */
export function NotesDialog({ view, cannotWrite, onClose }: NotesDialogProps) {
  return (
    <Dialog title="Notes on this run" onClose={onClose}>
      <div className={styles.inside}>
        {view.notes.length === 0 && <p className={styles.none}>Nobody has said anything yet.</p>}
        <ol className={styles.notes}>
          {view.notes.map((note) => (
            <NoteLine key={note.id} note={note} />
          ))}
        </ol>
        {cannotWrite === undefined ? (
          <Writing run={view.item.run} onClose={onClose} />
        ) : (
          <p className={styles.none}>A note cannot be written here: {cannotWrite}.</p>
        )}
      </div>
    </Dialog>
  );
}

function NoteLine({ note }: { readonly note: Note }) {
  return (
    <li className={styles.note}>
      <p className={styles.by}>
        <strong>{note.by}</strong> <Ago time={note.time} />
        {note.sample !== undefined && <span>on sample {note.sample}</span>}
        {note.verdict !== undefined && <span>judged it: {note.verdict}</span>}
      </p>
      {note.text !== undefined && <p className={styles.text}>{note.text}</p>}
    </li>
  );
}

function Writing({ run, onClose }: { readonly run: string; readonly onClose: () => void }) {
  const data = useData();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const saying = useMutation({
    mutationFn: () => data.say({ kind: 'note', run, text: text.trim() }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['run', { run }] });
      onClose();
    },
  });
  const isOff = text.trim() === '' || saying.isPending;
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!isOff) saying.mutate();
  };
  return (
    <form className={styles.writing} onSubmit={submit}>
      <textarea
        data-focus
        aria-label="Note"
        rows={4}
        maxLength={20_000}
        className={styles.area}
        placeholder="What should others know about this run?"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      {saying.isError && <Problem error={saying.error} what="The note" />}
      <p className={styles.actions}>
        <span className={styles.none}>
          Kept in git beside the run, with your name; the log stays as it is.
        </span>
        <Button kind="primary" type="submit" disabled={isOff}>
          Keep it <Kbd keys="mod+Enter" isQuiet />
        </Button>
      </p>
    </form>
  );
}
