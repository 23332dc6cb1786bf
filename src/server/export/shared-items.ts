import { digestOf } from '../../base/index.ts';
import type { DocumentPlace } from '../api.ts';
import { strictText } from '../strict-text.ts';
import type { Asking } from './asking.ts';

/** Items that stand in many lists, such as the messages that every call to a model repeats: each is written once. */
export class SharedItems {
  readonly #asking: Asking;
  readonly #places = new Map<string, DocumentPlace>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  async write(item: unknown): Promise<{ readonly place: DocumentPlace; readonly isNew: boolean }> {
    const text = strictText(item);
    const key = digestOf(text);
    const known = this.#places.get(key);
    if (known) return { place: known, isNew: false };
    const place = await this.#asking.writer.write(text);
    this.#places.set(key, place);
    return { place, isNew: true };
  }
}
