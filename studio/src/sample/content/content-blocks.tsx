import type { AnyJson } from '../../../../src/server/api.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { asCut, headOf, isObject, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './content.module.css';
import { Picture } from './picture.tsx';
import { Reasoning } from './reasoning.tsx';
import { TextBlock } from './text-block.tsx';

interface ContentBlocksProps {
  readonly content: AnyJson | undefined;
  /** Of plain texts. */
  readonly as: 'prose' | 'output';
}

/** What a message says: a text, or a list of texts, thoughts, pictures and files. */
export function ContentBlocks({ content, as }: ContentBlocksProps) {
  if (content === undefined || content === null || content === '') return null;
  if (typeof content === 'string') return <TextBlock text={content} as={as} />;
  const cut = asCut(content);
  if (cut !== undefined) return <TextBlock text={cut} as={as} />;
  if (typeof content !== 'object') return <TextBlock text={String(content)} as="output" />;
  const blocks = Array.isArray(content) ? content : [content];
  return (
    <div className={styles.blocks}>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one message never move
        <Block key={at} block={block} as={as} />
      ))}
    </div>
  );
}

function Block({ block, as }: { readonly block: AnyJson; readonly as: 'prose' | 'output' }) {
  if (!isObject(block) || asCut(block) !== undefined) return <ContentBlocks content={block} as={as} />;
  const type = stringAt(block, 'type');
  const text = textAt(block, 'text');
  if (type === 'text') return text === undefined ? null : <TextBlock text={text} as={as} />;
  if (type === 'reasoning') return <Reasoning block={block} />;
  const image = textAt(block, 'image');
  if (type === 'image' && image !== undefined) return <Picture source={image} />;
  if (type === 'tool_use') return <ServerTool block={block} />;
  if (type === 'audio' || type === 'video' || type === 'document')
    return <FileName block={block} type={type} />;
  return <JsonTree value={valueAt(block, 'data') ?? block} />;
}

/** Sounds and films are named, not played. */
function FileName({ block, type }: { readonly block: AnyJson; readonly type: string }) {
  const source = textAt(block, type);
  const name = stringAt(block, 'filename') ?? stringAt(block, 'format') ?? '';
  const place = source === undefined ? '' : headOf(source).slice(0, 80);
  return (
    <p className={styles.note}>
      {type} {name} {place !== '' && <code>{place}</code>}
    </p>
  );
}

/** A tool that the provider itself ran. */
function ServerTool({ block }: { readonly block: AnyJson }) {
  const given = textAt(block, 'arguments');
  const result = textAt(block, 'result');
  return (
    <div className={styles.blocks}>
      <p className={styles.note}>
        {stringAt(block, 'tool_type') ?? 'tool'} <b>{stringAt(block, 'name') ?? ''}</b>, run by the provider
      </p>
      {given !== undefined && <TextBlock text={given} as="output" />}
      {result !== undefined && <TextBlock text={result} as="output" />}
    </div>
  );
}
