import type { AnyJson } from '../../../../src/server/api.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { isObject, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './events.module.css';
import { languageOfArgument, mainArgument } from './main-argument.ts';

/** What a model wants done. */
export function ToolCalls({ calls }: { readonly calls: readonly AnyJson[] }) {
  if (calls.length === 0) return null;
  return (
    <div className={styles.parts}>
      {calls.map((call, at) => (
        <div key={stringAt(call, 'id') ?? at} className={styles.call}>
          <p className={styles.callHead}>
            <span aria-hidden="true">→</span>
            <b>{stringAt(call, 'function') ?? 'tool'}</b>
          </p>
          <ToolArguments name={stringAt(call, 'function')} given={valueAt(call, 'arguments')} />
          {textAt(call, 'parse_error') !== undefined && (
            <p className={styles.wrong}>{stringAt(call, 'parse_error')}</p>
          )}
        </div>
      ))}
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
