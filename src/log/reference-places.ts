import { isJsonObject, type Json } from '../base/index.ts';
import { type TextRule, walkEvent, walkJson, walkMessage, walkSampleFields } from './walk.ts';

type Walk = (value: Json, rule: TextRule) => Json;

/** Where references to attachments can stand. A text of the same look in any other place is somebody's own [LOG-13]. */
export interface ReferencePlaces {
  readonly fields: Walk;
  readonly events: Walk;
  readonly messages: Walk;
  readonly calls: Walk;
}

/** Those in which Inspect condenses, and no others. */
export const CONDENSED_PLACES: ReferencePlaces = {
  fields: (value, rule) => (isJsonObject(value) ? walkSampleFields(value, rule) : value),
  events: (value, rule) => (isJsonObject(value) ? walkEvent(value, rule) : value),
  messages: walkMessage,
  calls: walkJson,
};

/** Inspect's chunked samples have references in whatever is long. */
export const ALL_PLACES: ReferencePlaces = {
  fields: walkJson,
  events: walkJson,
  messages: walkJson,
  calls: walkJson,
};
