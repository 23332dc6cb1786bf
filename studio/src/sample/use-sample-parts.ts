import { useMemo, useState } from 'react';
import { z } from 'zod';
import { usePersisted } from '../ui/use-persisted.ts';
import { hasScoresBeside } from './sample-search.ts';
import { useEvidence } from './scores/use-evidence.ts';
import { useTranscript } from './transcript/use-transcript.ts';
import { useCopyLink, useEventInAddress, useEventUuid } from './use-event-link.ts';
import { useKeptScroll } from './use-kept-scroll.ts';
import { useSampleKeys } from './use-sample-keys.ts';
import { useSampleSearch } from './use-sample-search.ts';

/** Narrower windows begin with the transcript alone. */
const WIDE = 1_200;

interface SamplePartsOptions {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  readonly onStep: (by: 1 | -1, isFailing?: boolean) => void;
}

/** Everything that the page of a sample knows and does below its header. */
export function useSampleParts({ run, sample, epoch, onStep }: SamplePartsOptions) {
  const { search, set } = useSampleSearch();
  const attempt = search.attempt === '' ? undefined : Number(search.attempt);
  const [isRaw, setIsRaw] = useState(false);
  const [isFinding, setIsFinding] = useState(search.find !== '');
  const [findAsked, setFindAsked] = useState(0);
  const [isWriting, setIsWriting] = useState(false);
  const panes = usePanes();
  const link = useCopyLink();
  const key = useMemo(() => ({ run, sample, epoch, attempt }), [run, sample, epoch, attempt]);
  const here = useMemo(() => ({ ...key, isRaw }), [key, isRaw]);
  const setLane = (lane: string) => set({ lane });
  const transcript = useTranscript({
    key,
    lane: search.lane,
    setLane,
    copyLink: (event) => void uuidOf(event).then((uuid) => link.copy(uuid ?? String(event))),
  });
  const uuidOf = useEventUuid(key, transcript.bodies);
  const isTranscript = search.tab === 'transcript';
  const evidence = useEvidence({ key, attempt, transcript, isTranscript, set });
  useEventInAddress(transcript);
  useKeptScroll(transcript);
  const actions = {
    onTab: (tab: typeof search.tab) => set({ tab }),
    onRaw: () => setIsRaw(!isRaw),
    onOutline: panes.toggleOutline,
    onScores: panes.toggleScores,
    onFind: (text: string) => set({ find: text }),
    onFinding: (is: boolean) => {
      setIsFinding(is);
      setFindAsked((asked) => asked + 1);
      set(is ? { tab: 'transcript' } : { find: '' });
    },
    onWriting: setIsWriting,
    onWrite: () => {
      if (!hasScoresBeside(search.tab)) set({ tab: 'scores' });
      else if (!panes.isScored) panes.toggleScores();
      setIsWriting(true);
    },
    onEvent: (uuid: string) => set({ tab: 'transcript', event: uuid }),
    onStep,
    onLastAttempt: () => set({ attempt: '', event: '' }),
    setLane,
  };
  useSampleKeys({ ...actions, tab: search.tab });
  return {
    ...{ search, key, here, transcript, evidence, actions, uuidOf, said: link.said },
    ...{ isRaw, isFinding, findAsked, isWriting, isOutlined: panes.isOutlined, isScored: panes.isScored },
  };
}

export type SampleParts = ReturnType<typeof useSampleParts>;

function usePanes() {
  const isWide = innerWidth >= WIDE;
  const [isOutlined, setIsOutlined] = usePersisted('holdfast.sample.outline', z.boolean(), isWide);
  const [isScored, setIsScored] = usePersisted('holdfast.sample.scores', z.boolean(), isWide);
  return {
    isOutlined,
    isScored,
    toggleOutline: () => setIsOutlined(!isOutlined),
    toggleScores: () => setIsScored(!isScored),
  };
}
