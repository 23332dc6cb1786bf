import { assert, type Random, shortId } from '../base/index.ts';
import { placeKey, type SharedPlace } from './shared-keys.ts';
import { decodeShared, encodeShared, SHARED_VERSION } from './shared-records.ts';

/** What tells a place of shared runs from all others, however people spell its address; undefined when it has no id yet. */
export async function findPlaceId({ bucket, prefix }: SharedPlace): Promise<string | undefined> {
  const key = placeKey(prefix);
  const bytes = await bucket.read(key);
  return bytes && decodeShared('place', bytes, key).id;
}

/** Gives it one if it has none; of two who do so at once both get the same. */
export async function makePlaceId(
  place: SharedPlace,
  { random }: { readonly random: Random },
): Promise<string> {
  const record = { format: 'holdfast-place', version: SHARED_VERSION, id: shortId(random) } as const;
  const key = placeKey(place.prefix);
  if (await place.bucket.create(key, encodeShared('place', record))) return record.id;
  const id = await findPlaceId(place);
  assert(id !== undefined, `${key} was there when it was created, and is not there now`);
  return id;
}
