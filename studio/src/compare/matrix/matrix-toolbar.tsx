import { useMemo } from 'react';
import type { MatrixView } from '../../../../src/server/api.ts';
import { completeRunQuery } from '../../../../src/views/index.ts';
import { useAsk } from '../../data/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { counted } from '../../ui/counted.ts';
import { Choice } from '../../ui/field.tsx';
import { QueryInput } from '../../ui/query-input.tsx';
import styles from './matrix-toolbar.module.css';
import type { MatrixAddress } from './use-matrix.ts';

interface MatrixToolbarProps {
  readonly address: MatrixAddress;
  readonly view: MatrixView | undefined;
  readonly limit: number;
  /** What is wrong with the filter of runs. */
  readonly wrong: { readonly at: number; readonly message: string } | undefined;
}

const LIMITS = [10, 20, 30, 50];
const CELLS = [14, 12, 8, 6, 4];

/** Which runs, how many of them, and how large they are drawn. */
export function MatrixToolbar({ address, view, limit, wrong }: MatrixToolbarProps) {
  const words = useAsk('runWords', {}, {});
  const complete = useMemo(
    () => (text: string, caret: number) => completeRunQuery(text, caret, words.data),
    [words.data],
  );
  const isTable = address.view === 'table';
  return (
    <div className={styles.bar} role="search" aria-label="Runs of the matrix">
      {address.runs === '' ? (
        <QueryInput
          label="Filter runs"
          placeholder="Runs: eval:swe* target:*opus* since:30d"
          value={address.q}
          onChange={(q) => address.set({ q })}
          complete={complete}
          wrong={wrong}
        />
      ) : (
        <Chip removeLabel="Show the newest runs instead" onRemove={() => address.set({ runs: '' })}>
          {address.runs.split(',').length} chosen runs
        </Chip>
      )}
      <span className={styles.count} role="status">
        {view !== undefined &&
          `${counted(view.samples.length, 'sample')} × ${counted(view.runs.length, 'run')}${view.runs[0]?.facts === undefined ? '' : ` of ${view.runs[0].facts.eval}`}`}
      </span>
      <span className={styles.tools}>
        {address.runs === '' && (
          <Choice
            label="Runs"
            value={String(limit)}
            options={withValue(LIMITS, limit).map((one) => ({ value: String(one), label: String(one) }))}
            onChange={(chosen) => address.set({ limit: chosen })}
          />
        )}
        {!isTable && (
          <Choice
            label="Cells"
            value={address.cell}
            options={[
              { value: '', label: 'fit' },
              ...CELLS.map((one) => ({ value: String(one), label: `${one} px` })),
            ]}
            onChange={(cell) => address.set({ cell })}
          />
        )}
        <Button isOn={isTable} onClick={() => address.set({ view: isTable ? 'picture' : 'table' })}>
          Table
        </Button>
      </span>
    </div>
  );
}

function withValue(values: readonly number[], value: number): readonly number[] {
  return values.includes(value) ? values : [...values, value].sort((a, b) => a - b);
}
