import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { ScaledList, type ScaledListHandle } from '../../ui/scaled/scaled-list.tsx';
import { isTurnStart } from '../transcript/landmarks.ts';
import type { SkeletonStore } from '../transcript/skeleton-store.ts';
import { useSeenAtRest, type ViewStore } from '../transcript/view-store.ts';
import styles from './outline.module.css';
import { isFailed, isNodeOpen, nodeAt, outlineNodes, shownNodes } from './outline-nodes.ts';

const ROW = 24;

interface OutlineProps {
  readonly store: SkeletonStore;
  readonly view: ViewStore;
  readonly onGo: (event: number) => void;
}

/** Spans, turns and what was done in them; where one is in the transcript is marked, and followed. */
export function Outline({ store, view, onGo }: OutlineProps) {
  const at = useSeenAtRest(view).first;
  const { version } = store;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is filled in place, its version says when
  const nodes = useMemo(() => outlineNodes(store), [store, version]);
  const [others, setOthers] = useState<ReadonlySet<number>>(new Set());
  const shown = useMemo(() => shownNodes(nodes, others), [nodes, others]);
  const list = useRef<ScaledListHandle>(null);
  const isPointed = useRef(false);
  const current = nodeAt(nodes, shown, at);
  useEffect(() => {
    if (!isPointed.current && current >= 0) list.current?.show(current, 'seen');
  }, [current]);
  const toggle = (node: number) => {
    const next = new Set(others);
    if (!next.delete(node)) next.add(node);
    setOthers(next);
  };
  return (
    <div
      className={styles.outline}
      onPointerEnter={() => {
        isPointed.current = true;
      }}
      onPointerLeave={() => {
        isPointed.current = false;
      }}
    >
      <ScaledList
        ref={list}
        label="Outline"
        count={shown.length}
        version={shown}
        rowAfter={same}
        estimate={() => ROW}
      >
        {(row) => {
          const node = shown[row] ?? 0;
          const event = nodes.events[node] ?? 0;
          return (
            <Node
              store={store}
              event={event}
              level={nodes.levels[node] ?? 0}
              isCurrent={row === current}
              isOpen={(nodes.within[node] ?? 0) > 0 ? isNodeOpen(nodes, others, node) : undefined}
              onToggle={() => toggle(node)}
              onGo={onGo}
            />
          );
        }}
      </ScaledList>
    </div>
  );
}

function same(row: number): number {
  return row;
}

interface NodeProps {
  readonly store: SkeletonStore;
  readonly event: number;
  readonly level: number;
  readonly isCurrent: boolean;
  readonly isOpen: boolean | undefined;
  readonly onToggle: () => void;
  readonly onGo: (event: number) => void;
}

const Node = memo(function Node({ store, event, level, isCurrent, isOpen, onToggle, onGo }: NodeProps) {
  const isTurn = isTurnStart(store, event);
  return (
    <div
      className={classes(styles.node, isCurrent && styles.isCurrent)}
      style={{ '--level': Math.min(level, 6) }}
    >
      {isOpen === undefined ? (
        <span className={styles.noFold} />
      ) : (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-label={`What is in turn ${store.turn(event)}`}
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={10} />
        </button>
      )}
      <button
        type="button"
        className={styles.name}
        aria-current={isCurrent ? 'true' : undefined}
        title={store.label(event)}
        onClick={() => onGo(event)}
      >
        {isTurn && <span className={styles.turn}>{store.turn(event)}</span>}
        <span className={classes(styles.text, store.kind(event) === 'span_begin' && styles.span)}>
          {nameOf(store, event)}
        </span>
        {isFailed(store, event) && (
          <span className={styles.failed} title="error">
            !<span className="visually-hidden">error</span>
          </span>
        )}
      </button>
    </div>
  );
});

/** A tool is called by its name; the rest of its label is what it was given. */
function nameOf(store: SkeletonStore, event: number): string {
  const kind = store.kind(event);
  const label = store.label(event);
  if (kind === 'tool' || kind === 'model' || kind === 'span_begin') return label === '' ? kind : label;
  return `${kind.replaceAll('_', ' ')} ${label}`;
}
