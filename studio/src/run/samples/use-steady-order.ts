import { useCallback, useRef, useState } from 'react';
import type { SampleItem } from '../../../../src/server/api.ts';

type ItemAt = (sample: number) => SampleItem | undefined;

/** Rows around one that is looked for, when they have moved. */
const NEAR = 400;

/**
 * While somebody points at the table of a run under way, rows stay where they are: what changed in them is shown in place, and
 * they take their new order when the pointer is gone.
 */
export function useSteadyOrder(itemAt: ItemAt, isMoving: boolean) {
  const [isHeld, setIsHeld] = useState(false);
  const order = useRef(new Map<number, SampleItem>());
  const isSteady = isHeld && isMoving;
  if (!isSteady && order.current.size > 0) order.current = new Map();
  const steadyAt = useCallback(
    (sample: number) => {
      if (!isSteady) return itemAt(sample);
      const known = order.current.get(sample) ?? itemAt(sample);
      if (known === undefined) return undefined;
      order.current.set(sample, known);
      return newest(itemAt, sample, known);
    },
    [isSteady, itemAt],
  );
  return { itemAt: steadyAt, hold: setIsHeld };
}

/** The row as it is now, wherever it went; as it was when it went far away. */
function newest(itemAt: ItemAt, sample: number, known: SampleItem): SampleItem {
  for (let distance = 0; distance < NEAR; distance++) {
    for (const at of [sample + distance, sample - distance]) {
      const item = at < 0 ? undefined : itemAt(at);
      if (item?.id === known.id) return item;
    }
  }
  return known;
}
