import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { RunChange, RunItem } from '../../../src/server/api.ts';
import { lookOfRun } from '../../../src/views/index.ts';
import { Text } from '../ui/cells.tsx';
import { classes } from '../ui/classes.ts';
import type { ListColumn } from '../ui/list-columns.ts';
import { ListCell, ListRow, SelectCell, WaitingRow } from '../ui/list-row.tsx';
import { Badge } from '../ui/outcome.tsx';
import { shownAs } from '../ui/outcomes.ts';
import { cellOf } from './run-cells.tsx';
import styles from './run-row.module.css';

export interface RunRowProps {
  /** Undefined while it has not come. */
  readonly item: RunItem | undefined;
  readonly index: number;
  readonly columns: readonly ListColumn[];
  readonly change: RunChange | undefined;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  /** When rows are grouped by their eval: whether it is the first of its group. */
  readonly group: 'first' | 'other' | undefined;
  readonly onToggle: (index: number, isRange: boolean) => void;
  readonly onOpen: (run: string, index: number) => void;
}

export const rowId = (index: number) => `run-${index}`;

/** One run. A click opens it; its name is a link, for whoever wants a tab. */
export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { item, index, isCursor, isSelected, group, onToggle, onOpen } = props;
  if (item === undefined) return <WaitingRow id={rowId(index)} index={index} />;
  const name = item.facts === undefined ? item.name : `${item.facts.eval}, ${item.facts.target}`;
  return (
    <ListRow
      id={rowId(index)}
      index={index}
      isCursor={isCursor}
      isSelected={isSelected}
      className={group === 'first' ? styles.isGroupStart : undefined}
      onOpen={() => onOpen(item.run, index)}
    >
      <SelectCell name={name} isSelected={isSelected} onToggle={(isRange) => onToggle(index, isRange)} />
      <Cells {...props} item={item} />
    </ListRow>
  );
});

type Known = RunRowProps & { readonly item: RunItem };

function Cells({ item, columns, change, group }: Known) {
  const { facts } = item;
  if (item.damage !== undefined || facts === undefined) return <DamagedCells item={item} />;
  return columns.map((column, at) => (
    <ListCell key={column.id} index={at + 2} align={column.align}>
      {column.id === 'eval' ? (
        <EvalCell item={item} isRepeated={group === 'other'} />
      ) : (
        cellOf(column.id, { item, facts, change })
      )}
    </ListCell>
  ));
}

function EvalCell({ item, isRepeated }: { readonly item: RunItem; readonly isRepeated: boolean }) {
  const look = shownAs(lookOfRun(item));
  return (
    <>
      <Link
        to="/runs/$run/{-$tab}"
        params={{ run: item.run }}
        tabIndex={-1}
        className={classes(styles.name, isRepeated && styles.isRepeated)}
        title={item.facts?.eval}
      >
        {item.facts?.eval}
      </Link>
      {item.facts?.status !== 'success' && (
        <Badge tone={look.tone} glyph={look.glyph}>
          {look.word}
        </Badge>
      )}
      {item.removed === true && <Badge tone="quiet">removed</Badge>}
    </>
  );
}

/** A run that cannot be read is one row that says so; the list goes on. */
function DamagedCells({ item }: { readonly item: RunItem }) {
  return (
    <ListCell index={2} className={styles.damaged}>
      <Badge tone="error" glyph="✕">
        damaged
      </Badge>
      <Link to="/runs/$run/{-$tab}" params={{ run: item.run }} tabIndex={-1} className={styles.name}>
        {item.name}
      </Link>
      <Text text={item.damage ?? 'Nothing is known of it.'} />
    </ListCell>
  );
}
