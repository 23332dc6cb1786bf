import type { Json, JsonObject } from '../../base/index.ts';
import { NameList } from './columns.ts';

export const MAIN_LANE = 'main';
/** Whoever scores asks models as well: that is no turn of the agent. */
const SCORING_LANE = 'scoring';
const LANES_MAX = 60;
const DEPTH_MAX = 250;

export interface Standing {
  readonly lane: number;
  readonly depth: number;
}

interface Span extends Standing {
  /** The event that began it; -1 when its beginning is not there. */
  readonly event: number;
  /** Whether an agent is at work in it. */
  readonly isOfAgent: boolean;
}

/**
 * Tells by whom and how deep inside an event happened: by spans, each of which names the one around it, or by steps of before there
 * were spans, of which the last that was begun is the first to end. Spans may end in any order, late or never.
 */
export class Lanes {
  readonly list = new NameList(LANES_MAX, 'more agents');
  readonly #spans = new Map<string, Span>();
  readonly #steps: Span[] = [];

  constructor() {
    this.list.numberOf(MAIN_LANE);
  }

  /** `ended`: the event that began what this event ends. `isLost`: it happened in a span whose beginning is not there. */
  add(event: JsonObject, index: number): Standing & { readonly ended?: number; readonly isLost?: true } {
    switch (event.event) {
      case 'span_begin':
        return this.#begin(event, index);
      case 'span_end':
        return this.#end(this.#spanOf(event.id));
      case 'step':
        return event.action === 'end' ? this.#end(this.#steps.pop()) : this.#beginStep(event, index);
      default:
        return this.#happened(event);
    }
  }

  #happened({ span_id }: JsonObject): Standing & { readonly isLost?: true } {
    const span = this.#spanOf(span_id);
    if (span || typeof span_id !== 'string') return this.#within(span);
    // What happened in a span that nobody began is told once.
    const around = this.#within(undefined);
    this.#spans.set(span_id, { ...around, event: -1, isOfAgent: false });
    return { ...around, isLost: true };
  }

  #begin(event: JsonObject, index: number): Standing {
    const outer = this.#spanOf(event.parent_id) ?? this.#outerOf(event);
    const span = this.#span(event, outer, index);
    if (typeof event.id === 'string') this.#spans.set(event.id, span);
    return span;
  }

  /** An event that begins a span may say that it happened in that very span. */
  #outerOf({ id, span_id }: JsonObject): Span | undefined {
    return span_id === id ? this.#steps.at(-1) : this.#spanOf(span_id);
  }

  #beginStep(event: JsonObject, index: number): Standing {
    const span = this.#span(event, this.#steps.at(-1), index);
    this.#steps.push(span);
    return span;
  }

  #end(span: Span | undefined): Standing & { readonly ended?: number } {
    if (!span) return this.#within(undefined);
    const { lane, depth, event } = span;
    return event < 0 ? { lane, depth } : { lane, depth, ended: event };
  }

  /** The first agent is the one that the sample is about; agents inside of it have lanes of their own. */
  #span({ name, type }: JsonObject, outer: Span | undefined, event: number): Span {
    const { lane, depth } = this.#within(outer);
    const isAgent = type === 'agent';
    const isOfAgent = isAgent || outer?.isOfAgent === true;
    if (isAgent && outer?.isOfAgent && typeof name === 'string' && name !== '')
      return { lane: this.list.numberOf(name.slice(0, 100)), depth, event, isOfAgent };
    const isScoring = type === 'scorers' || type === 'scorer';
    return { lane: isScoring ? this.list.numberOf(SCORING_LANE) : lane, depth, event, isOfAgent };
  }

  #spanOf(id: Json | undefined): Span | undefined {
    return typeof id === 'string' ? this.#spans.get(id) : undefined;
  }

  /** Where what happens in a span stands; what names none is in the step at hand, if there is one. */
  #within(span: Span | undefined): Standing {
    const around = span ?? this.#steps.at(-1);
    if (!around) return { lane: 0, depth: 0 };
    const isBegun = around.event >= 0;
    return { lane: around.lane, depth: Math.min(around.depth + (isBegun ? 1 : 0), DEPTH_MAX) };
  }
}
