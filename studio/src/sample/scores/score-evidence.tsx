import { useState } from 'react';
import type { SampleScore } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { Button } from '../../ui/button.tsx';
import { ContentBlocks } from '../content/content-blocks.tsx';
import { listAt, stringAt, valueAt } from '../read-json.ts';
import { useSampleHere } from '../sample-here.ts';
import { type Citation, citationsOf } from './citations.ts';
import styles from './scores.module.css';
import type { Evidence } from './use-evidence.ts';

interface ScoreEvidenceProps {
  readonly score: SampleScore;
  readonly evidence: Evidence;
}

/** What a score is based on: the events that it cites, and what the model was asked that gave it. */
export function ScoreEvidence({ score, evidence }: ScoreEvidenceProps) {
  const judge = evidence.judgeOf(score.name);
  return (
    <>
      <Cited citations={citationsOf(score)} evidence={evidence} />
      {judge !== undefined && <Judge event={judge} evidence={evidence} />}
    </>
  );
}

interface CitedProps {
  readonly citations: readonly Citation[];
  readonly evidence: Evidence;
}

function Cited({ citations, evidence }: CitedProps) {
  const [missing, setMissing] = useState('');
  if (citations.length === 0) return null;
  const open = async (citation: Citation) => setMissing((await evidence.goTo(citation)) ? '' : citation.said);
  return (
    <p className={styles.by}>
      cites
      {citations.map((citation) => (
        <Button
          key={citation.said}
          kind="quiet"
          className={styles.to}
          title={`Go to ${citation.said} in the transcript`}
          onClick={() => void open(citation)}
        >
          {shortened(citation.said)} ›
        </Button>
      ))}
      <span role="status">{missing !== '' && `${shortened(missing)} is not in this transcript`}</span>
    </p>
  );
}

function shortened(said: string): string {
  return said.length > 14 ? `${said.slice(0, 12)}…` : said;
}

function Judge({ event, evidence }: { readonly event: number; readonly evidence: Evidence }) {
  const { run, sample, epoch, attempt } = useSampleHere();
  const query = attempt === undefined ? {} : { attempt };
  const { data } = useAsk('event', { run, sample, epoch, event }, query);
  if (data === undefined) return null;
  const prompt = listAt(data, 'input').at(-1);
  const [choice] = listAt(data, 'output', 'choices');
  return (
    <>
      <p className={styles.by}>
        graded by <b>{stringAt(data, 'model') ?? 'a model'}</b>
        <Button kind="quiet" className={styles.to} onClick={() => evidence.show(event)}>
          see the call ›
        </Button>
      </p>
      <details className={styles.judge}>
        <summary>What it was asked and answered</summary>
        <p className={styles.eyebrow}>Asked</p>
        <ContentBlocks content={valueAt(prompt, 'content')} as="prose" />
        <p className={styles.eyebrow}>Answered</p>
        <ContentBlocks content={valueAt(choice, 'message', 'content')} as="prose" />
      </details>
    </>
  );
}
