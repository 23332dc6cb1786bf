import { Link } from '@tanstack/react-router';
import type { RunView } from '../../../../src/server/api.ts';
import { lookOfRun } from '../../../../src/views/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { CommandsMenu } from '../../ui/commands-menu.tsx';
import { Badge } from '../../ui/outcome.tsx';
import { shownAs } from '../../ui/outcomes.ts';
import headStyles from '../../ui/page-head.module.css';
import styles from './run-head.module.css';
import { RunMeta } from './run-meta.tsx';
import type { RunActions } from './use-run-actions.ts';

interface RunHeadProps {
  readonly view: RunView;
  readonly actions: RunActions;
}

/** What run it is, how it went in one sentence, and what can be done with it. */
export function RunHead({ view, actions }: RunHeadProps) {
  const { item } = view;
  const { facts } = item;
  const writing = { title: actions.cannotWrite, disabled: actions.cannotWrite !== undefined };
  const look = shownAs(lookOfRun(item));
  return (
    <header className={headStyles.head}>
      <div className={headStyles.top}>
        <h1 className={headStyles.title}>
          {facts === undefined ? (
            item.name
          ) : (
            <>
              <Link to="/evals/$eval" params={{ eval: facts.eval }} className={styles.eval}>
                {facts.eval}
              </Link>
              <span className={styles.dot} aria-hidden="true">
                ·
              </span>
              <span className={headStyles.target}>{facts.target}</span>
            </>
          )}
        </h1>
        <Badge tone={look.tone} glyph={look.glyph}>
          {look.word}
        </Badge>
        {item.removed === true && <Badge tone="quiet">removed</Badge>}
        <span className={styles.tags}>
          {facts?.tags.map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </span>
        <span className={headStyles.actions}>
          {actions.onCompare !== undefined && (
            <Button
              hotkey="c"
              onClick={actions.onCompare}
              title="With the previous run of this eval and target"
            >
              Compare
            </Button>
          )}
          <Button icon="note" hotkey="m" onClick={actions.onNote} {...writing}>
            Note
          </Button>
          <Button icon="tag" hotkey="t" onClick={actions.onTag} {...writing}>
            Tag
          </Button>
          <CommandsMenu commands={view.commands} />
        </span>
      </div>
      <div className={styles.line}>
        <p className={headStyles.said}>{view.said}</p>
        {actions.cannotWrite !== undefined && (
          <p className={styles.cannot} title={actions.cannotWrite}>
            No notes, no tags: {actions.cannotWrite}
          </p>
        )}
      </div>
      <RunMeta view={view} onNotes={actions.onNotes} />
    </header>
  );
}
