import { z } from 'zod';
import type { Digest, Json, JsonObject } from '../base/index.ts';
import type { Pin } from './use-generation.ts';

const pinSchema = z.object({
  kind: z.string(),
  key: z.string(),
  recipe: z.string().transform((text) => text as Digest),
  generation: z.string(),
  digest: z.string(),
});

const metadataSchema = z.object({ holdfast: z.object({ artifacts: z.array(pinSchema) }) });

/** What a run pinned, as its log and its journals tell. */
export function pinsIn(metadata: JsonObject | undefined): readonly Pin[] {
  return metadataSchema.safeParse(metadata).data?.holdfast.artifacts ?? [];
}

export function pinsJson(pins: readonly Pin[]): Json {
  return pins.map(({ kind, key, recipe, generation, digest }) => ({ kind, key, recipe, generation, digest }));
}
