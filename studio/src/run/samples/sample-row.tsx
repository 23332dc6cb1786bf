import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { SampleItem } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import type { ListColumn } from '../../ui/list-columns.ts';
import { ListCell, ListRow, SelectCell, WaitingRow } from '../../ui/list-row.tsx';
import { sampleCell } from './sample-cells.tsx';
import styles from './sample-row.module.css';
import { Strip } from './sample-strip.tsx';
import type { SampleStrip } from './sample-strips.ts';
import { epochToOpen } from './sample-words.ts';

export interface SampleRowProps {
  /** Undefined while it has not come. */
  readonly item: SampleItem | undefined;
  /** The place of the epoch that the row is about; undefined for the row of the sample. */
  readonly epoch: number | undefined;
  readonly row: number;
  readonly sample: number;
  readonly columns: readonly ListColumn[];
  readonly score: string | undefined;
  readonly run: string;
  /** What the address of a sample says of the list that it is in. */
  readonly search: { readonly q: string; readonly sort: string; readonly score: string };
  readonly strip: SampleStrip | undefined;
  readonly evalName: string | undefined;
  readonly isTree: boolean;
  readonly isOpen: boolean;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly onToggle: (row: number, isRange: boolean) => void;
  readonly onFold: (sample: number) => void;
  readonly onOpen: (row: number) => void;
}

export const sampleRowId = (row: number) => `sample-${row}`;

/** A sample, or one of its epochs. A click opens it; its name is a link, for whoever wants a tab. */
export const SampleRow = memo(function SampleRow(props: SampleRowProps) {
  const { item, epoch, row, isTree, isOpen, isCursor, isSelected, onToggle, onOpen } = props;
  const one = epoch === undefined ? undefined : item?.epochs[epoch];
  if (item === undefined || (epoch !== undefined && one === undefined))
    return <WaitingRow id={sampleRowId(row)} index={row} />;
  const name = one === undefined ? `sample ${item.id}` : `sample ${item.id}, epoch ${one.epoch}`;
  const isFolder = one === undefined && item.epochs.length > 1;
  return (
    <ListRow
      id={sampleRowId(row)}
      index={row}
      isCursor={isCursor}
      isSelected={isSelected}
      level={isTree ? (one === undefined ? 1 : 2) : undefined}
      isOpen={isTree && isFolder ? isOpen : undefined}
      className={one === undefined ? undefined : styles.epoch}
      onOpen={() => onOpen(row)}
    >
      <SelectCell name={name} isSelected={isSelected} onToggle={(isRange) => onToggle(row, isRange)} />
      <Cells {...props} item={item} isFolder={isFolder} />
    </ListRow>
  );
});

type Known = SampleRowProps & { readonly item: SampleItem; readonly isFolder: boolean };

function Cells(props: Known) {
  const { item, epoch, columns, score, isTree } = props;
  const one = epoch === undefined ? undefined : item.epochs[epoch];
  const epochs = one === undefined ? item.epochs : [one];
  return columns.map((column, at) => (
    <ListCell
      key={column.id}
      index={at + 2}
      align={column.align}
      className={classes(at === 0 && isTree && styles.first, at === 0 && one !== undefined && styles.within)}
    >
      {at === 0 && isTree && one === undefined && <Fold {...props} />}
      {column.id === 'id' ? (
        <SampleName {...props} />
      ) : column.id === 'history' ? (
        one === undefined && <Strip {...props} />
      ) : (
        sampleCell(column.id, { item, epochs, isEpoch: one !== undefined, score })
      )}
    </ListCell>
  ));
}

/** Shows the epochs of a sample, or hides them. */
function Fold({ item, sample, isOpen, isFolder, onFold }: Known) {
  if (!isFolder) return <span className={styles.fold} />;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.fold}
      aria-label={`${isOpen ? 'Hide' : 'Show'} the epochs of ${item.id}`}
      onClick={() => onFold(sample)}
    >
      <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={12} />
    </button>
  );
}

function SampleName({ item, epoch, run, search }: Known) {
  const one = epoch === undefined ? undefined : item.epochs[epoch];
  return (
    <Link
      to="/runs/$run/s/$sample/$epoch"
      params={{ run, sample: String(item.id), epoch: String(one?.epoch ?? epochToOpen(item)) }}
      search={search}
      tabIndex={-1}
      className={one === undefined ? styles.name : styles.epochName}
      title={String(item.id)}
    >
      {one === undefined ? item.id : `epoch ${one.epoch}`}
    </Link>
  );
}
