import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { z } from 'zod';
import { IconButton } from './button.tsx';
import { copyPng, csvOf, svgTextOf } from './chart-copy.ts';
import styles from './chart-frame.module.css';
import { copyText } from './copy.tsx';
import { DataTable, type TableOfChart } from './data-table.tsx';
import { Menu } from './menu.tsx';
import { usePersisted } from './use-persisted.ts';

/** How long it says that something was copied. */
const SAID_MS = 1_800;

interface ChartFrameProps {
  /** What the chart shows, as a finding: "B passes 22 samples that A fails". */
  readonly title: string;
  /** How it is read. */
  readonly note?: ReactNode;
  /** The same in numbers: shown instead of the chart when asked for, and copied as CSV. */
  readonly table: TableOfChart;
  /** Beside the title. */
  readonly tools?: ReactNode;
  /** It can be folded to its title, and this browser remembers it under this name. */
  readonly foldedAs?: string;
  readonly children: ReactNode;
}

/** What every chart is in: its finding as a title, the same as a table, and copies of it. */
export function ChartFrame({ title, note, table, tools, foldedAs, children }: ChartFrameProps) {
  const [isFolded, setIsFolded] = usePersisted(`holdfast.folded.${foldedAs ?? ''}`, z.boolean(), false);
  const [isTable, setIsTable] = useState(false);
  const isHidden = foldedAs !== undefined && isFolded;
  const drawn = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const svgOf = () => drawn.current?.querySelector('svg');
  const tell = (work: Promise<string>) =>
    void work.then(setSaid, () => setSaid('This browser could not copy it'));
  const copyTextOf = (text: string) => tell(copyText(text).then(() => 'Copied'));
  const copySvg = () => {
    const svg = svgOf();
    if (svg) copyTextOf(svgTextOf(svg));
  };
  const copyPicture = () => {
    const svg = svgOf();
    if (svg) tell(copyPng(svg, title).then((done) => (done === 'copied' ? 'Copied' : 'Saved as a file')));
  };
  return (
    <figure className={styles.frame} aria-labelledby={titleId}>
      <figcaption className={styles.head}>
        {foldedAs !== undefined && (
          <IconButton
            className={styles.fold}
            icon={isFolded ? 'chevron-right' : 'chevron-down'}
            label={isFolded ? 'Unfold' : 'Fold'}
            aria-expanded={!isFolded}
            onClick={() => setIsFolded(!isFolded)}
          />
        )}
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        <span className={styles.tools}>
          {tools}
          <span role="status" className={styles.said}>
            {said}
          </span>
          <IconButton
            icon="columns"
            label={isTable ? 'Show the chart' : 'Show the numbers as a table'}
            isOn={isTable}
            onClick={() => setIsTable(!isTable)}
          />
          <Menu
            label="Copy the chart"
            opener={(props) => <IconButton icon="copy" label="Copy the chart" {...props} />}
            items={[
              { label: 'Copy as PNG', onChoose: copyPicture, isOff: isTable },
              { label: 'Copy as SVG', onChoose: copySvg, isOff: isTable },
              { label: 'Copy as CSV', onChoose: () => copyTextOf(csvOf(table)) },
            ]}
          />
        </span>
      </figcaption>
      {note !== undefined && !isHidden && <p className={styles.note}>{note}</p>}
      {isHidden ? null : isTable ? (
        <DataTable table={table} label={title} />
      ) : (
        <div ref={drawn} className={styles.drawn}>
          {children}
        </div>
      )}
    </figure>
  );
}
