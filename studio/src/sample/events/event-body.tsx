import { use } from 'react';
import type { AnyJson } from '../../../../src/server/api.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useSampleHere } from '../sample-here.ts';
import { IsSought, Sought } from '../sought.ts';
import { lookOf } from '../transcript/kind-looks.ts';
import { useBody, useBodyError, useTranscriptHere } from '../transcript/transcript-here.ts';
import styles from './events.module.css';
import { ModelBody } from './model-body.tsx';
import { ErrorBody, LimitBody, LoggerBody, MessageBody, SandboxBody, SubtaskBody } from './other-bodies.tsx';
import { ScoreBody } from './score-body.tsx';
import { ChangesBody, InfoBody, SampleBody } from './state-bodies.tsx';
import { ToolBody } from './tool-body.tsx';

interface EventBodyProps {
  readonly event: number;
  readonly kind: string;
}

/** What is in an event, as soon as it is here; until then as much room as it will probably take. */
export function EventBody({ event, kind }: EventBodyProps) {
  const { bodies, store } = useTranscriptHere();
  const { isRaw } = useSampleHere();
  const body = useBody(event);
  const error = useBodyError(event);
  const isSought = use(Sought) === event;
  if (error !== undefined)
    return <Problem error={error} onRetry={() => bodies.retry(event)} what="This event" />;
  if (body === undefined)
    return (
      <div className={styles.waiting} style={{ height: lookOf(kind).openHeight - 49 }}>
        {store.label(event)}
      </div>
    );
  if (isRaw) return <JsonTree value={body} />;
  return (
    <IsSought value={isSought}>
      <BodyOf event={event} kind={kind} body={body} />
    </IsSought>
  );
}

interface BodyOfProps extends EventBodyProps {
  readonly body: AnyJson;
}

function BodyOf({ event, kind, body }: BodyOfProps) {
  switch (kind) {
    case 'model':
      return <ModelBody event={event} body={body} />;
    case 'tool':
      return <ToolBody body={body} />;
    case 'error':
      return <ErrorBody body={body} />;
    case 'score':
      return <ScoreBody body={body} />;
    case 'state':
    case 'store':
      return <ChangesBody body={body} />;
    case 'info':
      return <InfoBody body={body} />;
    case 'logger':
      return <LoggerBody body={body} />;
    case 'sample_init':
      return <SampleBody body={body} />;
    case 'sample_limit':
      return <LimitBody body={body} />;
    case 'sandbox':
      return <SandboxBody body={body} />;
    case 'subtask':
      return <SubtaskBody body={body} />;
    case 'input':
    case 'approval':
    case 'compaction':
    case 'interrupt':
      return <MessageBody body={body} />;
    default:
      return <JsonTree value={body} />;
  }
}
