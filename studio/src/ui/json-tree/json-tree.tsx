import { use, useMemo, useState } from 'react';
import { type AnyJson, cutText } from '../../../../src/server/api.ts';
import { formatCount } from '../format.ts';
import { Icon } from '../icon.tsx';
import { CutShown } from './cut-shown.ts';
import { type JsonChoices, type JsonRow, jsonRows, markOf, withMore, withToggled } from './json-rows.ts';
import styles from './json-tree.module.css';

/** Beyond this, lines are added only when asked: a tree is never laid out whole. */
const ROWS_MAX = 600;
const TEXT_MAX = 300;

/** Any JSON as a tree that opens where it is clicked. */
export function JsonTree({ value, openDepth }: { readonly value: AnyJson; readonly openDepth?: number }) {
  const [choices, setChoices] = useState<JsonChoices>({ toggled: new Set(), shown: new Map() });
  const [most, setMost] = useState(ROWS_MAX);
  const rows = useMemo(() => jsonRows(value, choices, openDepth), [value, choices, openDepth]);
  return (
    <div className={styles.tree}>
      {rows.slice(0, most).map((row) =>
        row.more === undefined ? (
          <Line
            key={row.path}
            row={row}
            onToggle={() => setChoices((before) => withToggled(before, row.path))}
          />
        ) : (
          <button
            key={`${row.path}\nmore`}
            type="button"
            className={styles.more}
            style={{ '--depth': row.depth }}
            onClick={() => setChoices((before) => withMore(before, row.path))}
          >
            {formatCount(row.more)} more
          </button>
        ),
      )}
      {rows.length > most && (
        <button type="button" className={styles.more} onClick={() => setMost(most + ROWS_MAX)}>
          {formatCount(rows.length - most)} more lines
        </button>
      )}
    </div>
  );
}

function Line({ row, onToggle }: { readonly row: JsonRow; readonly onToggle: () => void }) {
  const { name, value, isOpen, depth } = row;
  const inside = (
    <>
      {name !== undefined && <span className={styles.name}>{name}</span>}
      {isOpen === true ? <span className={styles.count}>{countOf(value)}</span> : <Value value={value} />}
    </>
  );
  if (isOpen === undefined)
    return (
      <div className={styles.line} style={{ '--depth': depth }}>
        <span className={styles.chevron} />
        {inside}
      </div>
    );
  return (
    <button
      type="button"
      className={styles.line}
      style={{ '--depth': depth }}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <span className={styles.chevron}>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={12} />
      </span>
      {inside}
    </button>
  );
}

function Value({ value }: { readonly value: AnyJson }) {
  const [isWhole, setIsWhole] = useState(false);
  if (typeof value === 'object' && value !== null && markOf(value) !== undefined)
    return <Marked value={value} />;
  if (typeof value === 'object' && value !== null)
    return <span className={styles.preview}>{previewOf(value)}</span>;
  if (typeof value !== 'string') return <span className={styles.literal}>{String(value)}</span>;
  const isLong = value.length > TEXT_MAX && !isWhole;
  return (
    <span className={styles.text}>
      {isLong ? value.slice(0, TEXT_MAX) : value}
      {isLong && (
        <button type="button" className={styles.rest} onClick={() => setIsWhole(true)}>
          … {formatCount(value.length - TEXT_MAX)} more characters
        </button>
      )}
    </span>
  );
}

/** A number that JSON has no word for, or a text that is too long to be sent with the rest. */
function Marked({ value }: { readonly value: AnyJson[] | Record<string, AnyJson> }) {
  const show = use(CutShown);
  const cut = cutText.safeParse(value);
  if (!cut.success) return <span className={styles.literal}>{Object.values(value).map(String).join()}</span>;
  const { head, length } = cut.data.$cut;
  return (
    <span className={styles.text}>{show?.(cut.data) ?? `${head} … ${formatCount(length)} characters`}</span>
  );
}

function countOf(value: AnyJson): string {
  const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return Array.isArray(value) ? `[${formatCount(count)}]` : `{${formatCount(count)}}`;
}

/** The first keys or values, on one line. */
function previewOf(value: AnyJson[] | Record<string, AnyJson>): string {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return isList ? '[]' : '{}';
  const parts = entries.slice(0, 6).map(([key, one]) => (isList ? shortOf(one) : `${key}: ${shortOf(one)}`));
  const rest = entries.length > 6 ? ', …' : '';
  const text = parts.join(', ') + rest;
  return isList ? `[${text}]` : `{${text}}`;
}

function shortOf(value: AnyJson): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 24 ? `${value.slice(0, 24)}…` : value);
  if (typeof value !== 'object' || value === null) return String(value);
  return countOf(value);
}
