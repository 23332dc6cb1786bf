import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { SampleItem, SampleStrips } from '../../../../src/server/api.ts';
import { useData } from '../../data/data-context.tsx';
import { askOptions } from '../../data/use-ask.ts';
import { useThrottled } from '../../ui/use-delayed.ts';
import type { RunAddress } from '../use-run-address.ts';
import { idBatches, type SampleStrip, stripsById } from './sample-strips.ts';

const RANGE_MS = 150;
/** Rows are asked for in blocks, so that a step of the wheel asks for nothing. */
const BLOCK = 50;

interface StripsOptions {
  readonly address: RunAddress;
  readonly sampleAt: (index: number) => SampleItem | undefined;
  readonly total: number;
  /** The column is not there. */
  readonly isOff: boolean;
}

/** The last results of the samples in sight. The table does not wait for them. */
export function useSampleStrips({ address, sampleAt, total, isOff }: StripsOptions) {
  const data = useData();
  const { run, askedScore } = address;
  const [range, setRange] = useState({ first: 0, last: 0 });
  const onRange = useThrottled((first: number, last: number) => {
    setRange((was) => (was.first === first && was.last === last ? was : { first, last }));
  }, RANGE_MS);
  const ids = isOff ? [] : idsInBlocks(range, sampleAt, total);
  const idsText = JSON.stringify(ids);
  const batches = useMemo(() => idBatches(JSON.parse(idsText)), [idsText]);
  const answers = useQueries({
    queries: batches.map((samples) =>
      askOptions(data, 'sampleStrips', { run }, { samples: JSON.stringify(samples), ...askedScore }),
    ),
    combine: answersOf,
  });
  const strips = useMemo(() => stripsById(batches, answers), [batches, answers]);
  const stripOf = useCallback(
    (item: SampleItem | undefined): SampleStrip | undefined => strips.get(String(item?.id)),
    [strips],
  );
  return { stripOf, onRange };
}

function answersOf(
  results: readonly { readonly data: SampleStrips | undefined }[],
): (SampleStrips | undefined)[] {
  return results.map(({ data }) => data);
}

function idsInBlocks(
  { first, last }: { readonly first: number; readonly last: number },
  sampleAt: StripsOptions['sampleAt'],
  total: number,
): readonly string[] {
  const from = Math.floor(first / BLOCK) * BLOCK;
  const to = Math.min(total, (Math.floor(last / BLOCK) + 1) * BLOCK);
  const ids: string[] = [];
  for (let index = from; index < to; index += 1) {
    const item = sampleAt(index);
    if (item !== undefined) ids.push(String(item.id));
  }
  return ids;
}
