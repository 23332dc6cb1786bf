import fc from 'fast-check';
import type { Json } from '../../src/base/index.ts';
import type { ObjectShape, Shape } from '../../src/log/shapes/shape.ts';

const DEPTH_MAX = 5;

/** Documents that have a shape exactly: what we or Inspect could write. */
export function arbitraryOf(shape: Shape, depth = 0): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case 'text':
      return fc.string({ maxLength: 8 });
    case 'time':
    case 'timeText':
      return fc.constantFrom('2026-01-01T00:00:00+00:00', '2024-02-29T12:34:56.789Z');
    case 'integer':
      return fc.integer();
    case 'number':
      return fc.double();
    case 'flag':
      return fc.boolean();
    case 'anything':
    case 'passed':
      return fc.oneof(
        fc.constantFrom(null, true, 'x'),
        fc.dictionary(fc.string({ maxLength: 3 }), fc.integer(), { maxKeys: 2 }),
      );
    case 'oneOf':
      return fc.constantFrom(...shape.values);
    case 'orNull':
      return depth >= DEPTH_MAX
        ? fc.constant(null)
        : fc.oneof(fc.constant(null), arbitraryOf(shape.shape, depth + 1));
    case 'lazy':
      return fc.constant(null).chain(() => arbitraryOf(shape.get(), depth + 1));
    case 'list':
      return depth >= DEPTH_MAX
        ? fc.constant([])
        : fc.array(arbitraryOf(shape.item, depth + 1), { maxLength: 2 });
    case 'tuple':
      return fc.tuple(...shape.items.map((item) => arbitraryOf(item, depth + 1)));
    case 'record':
      return depth >= DEPTH_MAX
        ? fc.constant({})
        : fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), arbitraryOf(shape.value, depth + 1), {
            maxKeys: 2,
          });
    case 'anyOf':
      return fc.oneof(...shape.options.map((option) => arbitraryOf(option, depth + 1)));
    case 'object':
      return ofObject(shape, depth);
    case 'tagged':
      return fc.oneof(...Array.from(shape.options.values(), (option) => ofObject(option, depth)));
  }
}

function ofObject({ keys, required }: ObjectShape, depth: number): fc.Arbitrary<Json> {
  const wanted = [...keys].filter(([key]) => depth < DEPTH_MAX || required.includes(key));
  const model = Object.fromEntries(wanted.map(([key, shape]) => [key, arbitraryOf(shape, depth + 1)]));
  return fc.record(model, { requiredKeys: [...required] });
}
