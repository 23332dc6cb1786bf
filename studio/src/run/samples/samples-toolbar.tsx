import { useMemo } from 'react';
import type { RunView, SamplesPage } from '../../../../src/server/api.ts';
import { completeSampleQuery } from '../../../../src/views/index.ts';
import { Button } from '../../ui/button.tsx';
import { ColumnPicker } from '../../ui/column-picker.tsx';
import { Choice } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { QueryInput } from '../../ui/query-input.tsx';
import type { Complete } from '../../ui/take-completion.ts';
import type { RunAddress } from '../use-run-address.ts';
import { isPresetOn, presetCount, presetsFor, togglePreset } from './presets.ts';
import styles from './samples-toolbar.module.css';
import type { useSampleColumns } from './use-sample-columns.ts';

interface SamplesToolbarProps {
  readonly address: RunAddress;
  readonly view: RunView;
  readonly page: SamplesPage | undefined;
  readonly columns: ReturnType<typeof useSampleColumns>;
  readonly isHeld: boolean;
}

/** The filter, how many samples it leaves, and how they are shown. */
export function SamplesToolbar({ address, view, page, columns, isHeld }: SamplesToolbarProps) {
  const complete = useMemo<Complete>(
    () => (text, caret) =>
      completeSampleQuery(text, caret, {
        scores: page?.scores ?? [],
        metadataKeys: page?.metadataKeys ?? [],
      }),
    [page?.scores, page?.metadataKeys],
  );
  return (
    <div className={styles.bar} role="search" aria-label="Filter of samples">
      <QueryInput
        label="Filter samples"
        placeholder="Filter: score:fail cost>0.2 limit:token error:timeout metadata.level:hard or any text"
        value={address.q}
        onChange={(q) => address.change({ q })}
        complete={complete}
        wrong={page?.wrong}
      />
      <span className={styles.count} role="status">
        {page !== undefined && <Amount page={page} epochs={view.epochs} isHeld={isHeld} />}
      </span>
      <Presets address={address} view={view} page={page} />
      <ScoreChoice address={address} page={page} />
      <ColumnPicker chosen={columns.columns} all={columns.all} onChange={columns.setColumns} />
    </div>
  );
}

/** Filters that are often wanted, each with how many samples it leaves. */
function Presets({ address, view, page }: Pick<SamplesToolbarProps, 'address' | 'view' | 'page'>) {
  return (
    <span className={styles.presets} role="group" aria-label="Filters that are often wanted">
      {presetsFor(view.epochs).map((preset) => {
        const count = page === undefined ? undefined : presetCount(page, address.q, preset);
        return (
          <Button
            key={preset.term}
            isOn={isPresetOn(address.q, preset)}
            title={preset.about}
            {...(preset.hotkey !== undefined && { hotkey: preset.hotkey })}
            onClick={() => address.change({ q: togglePreset(address.q, preset) })}
          >
            {preset.label}
            {count !== undefined && <span className={styles.told}>{formatCount(count)}</span>}
          </Button>
        );
      })}
    </span>
  );
}

interface AmountProps {
  readonly page: SamplesPage;
  readonly epochs: number;
  readonly isHeld: boolean;
}

function Amount({ page, epochs, isHeld }: AmountProps) {
  const told = isHeld ? ' · order held' : epochs > 1 ? ' · epochs folded' : '';
  const why = isHeld ? 'Rows keep their places while the pointer is over them' : undefined;
  return (
    <span title={why}>
      {page.total === page.all ? (
        `${formatCount(page.all)} ${page.all === 1 ? 'sample' : 'samples'}`
      ) : (
        <>
          <strong>{formatCount(page.total)}</strong> of {formatCount(page.all)}
        </>
      )}
      <span className={isHeld ? undefined : styles.told}>{told}</span>
    </span>
  );
}

/** Which score decides whether a sample passed. */
function ScoreChoice({ address, page }: Pick<SamplesToolbarProps, 'address' | 'page'>) {
  if (page === undefined || page.scores.length < 2) return null;
  return (
    <Choice
      label="Score that decides"
      isLabelHidden
      value={page.score ?? ''}
      options={page.scores.map((name) => ({ value: name, label: name }))}
      onChange={(score) => address.change({ score })}
    />
  );
}
