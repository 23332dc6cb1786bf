import { visitCuts } from '../../views/index.ts';
import type { AnyJson, DocumentPlace, WrittenAnswer } from '../api.ts';
import { strictText } from '../strict-text.ts';
import type { SharedItems } from './shared-items.ts';

type AnyObject = Readonly<Record<string, AnyJson>>;

/** Whether a page has less of an event than there is when it is asked for alone. */
export function isPartOfIt(event: AnyJson): boolean {
  if (!isObject(event)) return false;
  if (Array.isArray(event.input_refs) || (isObject(event.call) && Array.isArray(event.call.call_refs)))
    return true;
  let hasLess = false;
  // Texts are cut in the same places wherever they stand; lists and objects are not.
  visitCuts(event, ({ items }) => {
    hasLess ||= items !== undefined;
  });
  return hasLess;
}

export interface WholeEvent {
  readonly document: WrittenAnswer;
  /** Messages of its input that no event before it has. */
  readonly entered: readonly { readonly message: AnyJson; readonly place: DocumentPlace }[];
}

/** What an event has that its page has not: the members that differ, with the lists that events repeat taken out of them. */
export async function wholeEvent(whole: AnyJson, inPage: AnyJson, items: SharedItems): Promise<WholeEvent> {
  if (!isObject(whole) || !isObject(inPage)) return { document: { answer: whole }, entered: [] };
  const members = Object.entries(whole).filter(([key, value]) => !isSame(inPage[key], value));
  const differing: Record<string, AnyJson> = Object.fromEntries(members);
  const lists: [string[], DocumentPlace[]][] = [];
  const entered: WholeEvent['entered'][number][] = [];
  for (const path of listsIn(differing)) {
    const places: DocumentPlace[] = [];
    for (const item of takeList(differing, path)) {
      const { place, isNew } = await items.write(item);
      places.push(place);
      if (isNew && path[0] === 'input') entered.push({ message: item, place });
    }
    lists.push([path, places]);
  }
  const without = Object.keys(inPage).filter((key) => !Object.hasOwn(whole, key));
  return { document: { answer: differing, without, lists }, entered };
}

function isSame(one: AnyJson | undefined, other: AnyJson): boolean {
  return one === other || strictText(one) === strictText(other);
}

/** Where lists stand that grow with every call. */
function listsIn(event: AnyObject): string[][] {
  const paths = ['input', 'tools'].filter((key) => Array.isArray(event[key])).map((key) => [key]);
  const request = isObject(event.call) ? event.call.request : undefined;
  if (!isObject(request)) return paths;
  const inRequest = Object.keys(request).filter((key) => Array.isArray(request[key]));
  return [...paths, ...inRequest.map((key) => ['call', 'request', key])];
}

/** Leaves an empty list; nothing that others hold is changed. */
function takeList(
  event: Record<string, AnyJson>,
  [key = '', ...rest]: readonly string[],
): readonly AnyJson[] {
  const value = event[key];
  if (rest.length === 0) {
    event[key] = [];
    return Array.isArray(value) ? value : [];
  }
  const copy = isObject(value) ? { ...value } : {};
  event[key] = copy;
  return takeList(copy, rest);
}

function isObject(value: AnyJson | undefined): value is AnyObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
