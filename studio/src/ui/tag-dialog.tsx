import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useData } from '../data/data-context.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { formatCount } from './format.ts';
import { Problem } from './problem.tsx';
import styles from './tag-dialog.module.css';

interface TagDialogProps {
  readonly runs: readonly string[];
  readonly known: readonly string[];
  readonly onClose: () => void;
}

/** Gives a tag to the runs that are selected, or takes it away. */
export function TagDialog({ runs, known, onClose }: TagDialogProps) {
  const data = useData();
  const [tag, setTag] = useState('');
  const saying = useMutation({
    mutationFn: (kind: 'tag' | 'untag') => data.say({ kind, runs: [...runs], tag: tag.trim() }),
    onSuccess: onClose,
  });
  const isOff = tag.trim() === '' || saying.isPending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isOff) saying.mutate('tag');
  };
  return (
    <Dialog title={`Tag ${formatCount(runs.length)} ${runs.length === 1 ? 'run' : 'runs'}`} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Field
          label="Tag"
          value={tag}
          maxLength={100}
          data-focus
          list="known-tags"
          hint="Tags are kept in git beside the runs, with who gave them; the logs stay as they are."
          onChange={(event) => setTag(event.target.value)}
        />
        <datalist id="known-tags">
          {known.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
        {saying.isError && <Problem error={saying.error} />}
        <div className={styles.actions}>
          <Button kind="quiet" disabled={isOff} onClick={() => saying.mutate('untag')}>
            Take away
          </Button>
          <Button kind="primary" type="submit" disabled={isOff}>
            Tag
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
