import { useState } from 'react';
import type { AnyJson } from '../../../../src/server/api.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { headOf, isObject, plainJson, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './events.module.css';
import { languageOfArgument, mainArgument } from './main-argument.ts';

interface ToolCallsProps {
  readonly calls: readonly AnyJson[];
  /** One line each: in a transcript the tool has a row of its own right below. */
  readonly isShort?: boolean;
}

/** What a model wants done. */
export function ToolCalls({ calls, isShort = false }: ToolCallsProps) {
  if (calls.length === 0) return null;
  return (
    <div className={styles.calls}>
      {calls.map((call, at) => (
        <ToolCall key={stringAt(call, 'id') ?? at} call={call} isShort={isShort} />
      ))}
    </div>
  );
}

function ToolCall({ call, isShort }: { readonly call: AnyJson; readonly isShort: boolean }) {
  const [isOpen, setIsOpen] = useState(!isShort);
  const name = stringAt(call, 'function') ?? 'tool';
  const given = valueAt(call, 'arguments');
  const main = given === undefined ? undefined : mainArgument(given);
  return (
    <div className={styles.call}>
      <button
        type="button"
        className={styles.callHead}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span aria-hidden="true">→</span>
        <b>{name}</b>
        {!isOpen && (
          <code>{main === undefined ? plainJson(given ?? '') : headOf(main.text).slice(0, 300)}</code>
        )}
      </button>
      {isOpen && <ToolArguments name={name} given={given} />}
      {textAt(call, 'parse_error') !== undefined && (
        <p className={styles.wrong}>{stringAt(call, 'parse_error')}</p>
      )}
    </div>
  );
}

interface ToolArgumentsProps {
  readonly name: string | undefined;
  readonly given: AnyJson | undefined;
}

/** The argument that says most comes first and as it is meant; the others as a tree. */
export function ToolArguments({ name, given }: ToolArgumentsProps) {
  if (given === undefined || given === null) return null;
  const main = mainArgument(given);
  if (main === undefined) return isEmpty(given) ? null : <JsonTree value={given} />;
  const rest = isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([key]) => key !== main.key))
    : {};
  return (
    <>
      <TextBlock text={main.text} as="code" language={languageOfArgument(name, main.key)} />
      {!isEmpty(rest) && <JsonTree value={rest} openDepth={1} />}
    </>
  );
}

function isEmpty(value: AnyJson): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
