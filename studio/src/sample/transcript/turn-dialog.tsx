import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import styles from './transcript.module.css';

interface TurnDialogProps {
  readonly last: number;
  readonly onGo: (turn: number) => void;
  readonly onClose: () => void;
}

export function TurnDialog({ last, onGo, onClose }: TurnDialogProps) {
  const [text, setText] = useState('');
  const turn = Number(text);
  const isWrong = text !== '' && !(Number.isInteger(turn) && turn >= 1 && turn <= last);
  return (
    <Dialog title="Go to a turn" onClose={onClose}>
      <form
        className={styles.turnForm}
        onSubmit={(event) => {
          event.preventDefault();
          if (text === '' || isWrong) return;
          onClose();
          onGo(turn);
        }}
      >
        <Field
          label={`Turn, 1 to ${formatCount(last)}`}
          inputMode="numeric"
          // A dialog gives the focus to what has the attribute, which React does not write.
          ref={(input) => input?.setAttribute('autofocus', '')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          wrong={isWrong ? `There are turns 1 to ${formatCount(last)}.` : undefined}
        />
        <Button type="submit" kind="primary">
          Go
        </Button>
      </form>
    </Dialog>
  );
}
