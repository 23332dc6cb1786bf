import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { ReviewItem, SampleView } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { ContentBlocks } from '../sample/content/content-blocks.tsx';
import { TextBlock } from '../sample/content/text-block.tsx';
import { MessageView } from '../sample/events/message-view.tsx';
import { isObject } from '../sample/read-json.ts';
import { Here } from '../sample/sample-here.ts';
import { ScoreCard } from '../sample/scores/score-card.tsx';
import { Asked } from '../ui/asked.tsx';
import { OutcomeBadge } from '../ui/outcome.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { runMoment } from './queue.ts';
import styles from './reviewed-sample.module.css';

/** What has to be seen to judge a sample: what was asked, what was answered, what was expected, and how it was scored. */
export function ReviewedSample({ item }: { readonly item: ReviewItem }) {
  const { run, epoch } = item;
  const sample = String(item.sample);
  const view = useAsk('sample', { run, sample, epoch }, { score: item.scorer });
  const here = useMemo(
    () => ({ run, sample, epoch, attempt: undefined, isRaw: false }),
    [run, sample, epoch],
  );
  return (
    <div className={styles.sample}>
      <header className={styles.head}>
        <h2 className={styles.name}>{item.sample}</h2>
        <OutcomeBadge outcome={item.outcome} />
        <span className={styles.meta}>
          {item.scorer !== undefined && `by ${item.scorer} · `}
          {item.eval} · {item.target} · {runMoment(run)}
          {epoch > 1 && ` · epoch ${epoch}`}
        </span>
        <Link
          to="/runs/$run/s/$sample/$epoch"
          params={{ run, sample, epoch: String(epoch) }}
          className={styles.link}
        >
          full transcript ›
        </Link>
      </header>
      <Here value={here}>
        <Asked query={view} what="This sample" waiting={<SkeletonRows rows={6} rowHeight={48} />}>
          {(answer) => <Parts view={answer} />}
        </Asked>
      </Here>
    </div>
  );
}

function Parts({ view }: { readonly view: SampleView }) {
  return (
    <div className={styles.parts}>
      <Part title="Input">
        <Content value={view.input} />
      </Part>
      <Part title="Output">
        {view.error !== undefined && (
          <div className={styles.error}>
            <p>! It ended in an error:</p>
            <TextBlock text={view.error.message} as="output" />
          </div>
        )}
        {view.output === '' ? (
          <p className={styles.none}>There is no output.</p>
        ) : (
          <TextBlock text={view.output} as="prose" />
        )}
      </Part>
      <Part title="Expected">
        <Content value={view.expected} />
      </Part>
      <Part title="Scores">
        {view.scores.length === 0 && <p className={styles.none}>Nothing has scored this sample.</p>}
        {view.scores.map((score) => (
          <ScoreCard key={score.name} score={score} />
        ))}
      </Part>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles.part} aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </section>
  );
}

function Content({ value }: { readonly value: SampleView['input'] }) {
  const isMessages = Array.isArray(value) && value.every((one) => isObject(one) && 'role' in one);
  if (value === null || value === '') return <p className={styles.none}>nothing</p>;
  if (!isMessages) return <ContentBlocks content={value} as="prose" />;
  return value.map((message, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: messages of an input never move
    <MessageView key={at} message={message} number={at + 1} />
  ));
}
