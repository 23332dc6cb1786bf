import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { applyPatch, type JsonChange } from './json-patch.ts';

/** The parts of a sample's state that its events can tell. */
export type SampleState = {
  readonly store: Json;
  readonly metadata: Json;
  readonly messages: Json;
};

interface Moment {
  readonly state: SampleState;
  /** False: a change could not be applied, so this is not all of it. */
  readonly isExact: boolean;
}

/**
 * Follows `store` and `state` events. Their changes are relative to what was there when the span around them began, and
 * a span's changes hold those of the spans inside it: so each patch is applied to the state at the beginning of its
 * span, not to the latest. Applied one after the other, an outer span would add to a list what an inner one added.
 */
export class StateTracker {
  #current: Moment;
  readonly #begun = new Map<string, Moment>();
  /** State events tell about messages only once there was one. */
  #hasMessages = false;

  constructor(init: JsonObject | undefined) {
    const state = isJsonObject(init?.state) ? init.state : {};
    const sample = isJsonObject(init?.sample) ? init.sample : {};
    this.#current = {
      state: {
        store: isJsonObject(state.store) ? state.store : {},
        metadata: isJsonObject(state.metadata) ? state.metadata : (sample.metadata ?? {}),
        messages: isJsonArray(state.messages) ? state.messages : [],
      },
      isExact: true,
    };
  }

  beginSpan(id: string): void {
    this.#begun.set(id, this.#current);
  }

  endSpan(id: string): void {
    this.#begun.delete(id);
  }

  changeStore(spanId: string | undefined, changes: readonly JsonChange[]): void {
    const base = this.#baseOf(spanId);
    const { value, unapplied } = applyPatch(base.state.store, changes);
    this.#current = {
      state: { ...this.#current.state, store: value },
      isExact: base.isExact && unapplied.length === 0,
    };
  }

  changeState(spanId: string | undefined, changes: readonly JsonChange[]): void {
    const known = changes.filter(({ path }) => /^\/(store|metadata|messages)(\/|$)/.test(path));
    if (known.length === 0) return;
    const base = this.#baseOf(spanId);
    const { value, unapplied } = applyPatch(base.state, known);
    this.#current = {
      state: stateOf(value),
      isExact: base.isExact && unapplied.length === 0,
    };
    this.#hasMessages ||= known.some(({ path }) => path.startsWith('/messages'));
  }

  get state(): SampleState {
    return this.#current.state;
  }

  get isExact(): boolean {
    return this.#current.isExact;
  }

  /** Whether the messages are those of the state's own history, and not only those it began with. */
  get hasMessages(): boolean {
    return this.#hasMessages;
  }

  #baseOf(spanId: string | undefined): Moment {
    return (spanId === undefined ? undefined : this.#begun.get(spanId)) ?? this.#current;
  }
}

/** A part that was taken away altogether is empty, as it is where a sample begins. */
function stateOf(value: Json): SampleState {
  const { store = {}, metadata = {}, messages = [] } = isJsonObject(value) ? value : {};
  return { store, metadata, messages };
}
