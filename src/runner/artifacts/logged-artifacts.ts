import { z } from 'zod';
import { ArtifactCache, type CacheOptions, type Pin, pinsIn } from '../../artifacts/index.ts';
import { ActionableError, type JsonObject } from '../../base/index.ts';
import type { LogHeader } from '../../log/index.ts';
import { type ArtifactPlace, type SampleArtifacts, sampleArtifacts } from '../../targets/index.ts';

const usedSchema = z.object({ holdfast: z.object({ artifacts: z.record(z.string(), z.string()) }) });

/** The artifacts that the samples of a log used: those very generations, for whoever scores it again. */
export class LoggedArtifacts {
  readonly #cache: ArtifactCache;
  readonly #pins: ReadonlyMap<string, Pin>;
  readonly #places = new Map<string, Promise<ArtifactPlace | undefined>>();

  constructor(cache: ArtifactCache, header: JsonObject | undefined) {
    this.#cache = cache;
    this.#pins = new Map(pinsIn(header).map((pin) => [pin.digest, pin]));
  }

  /** Undefined where no cache is named. */
  static open(
    ports: Pick<CacheOptions, 'disk' | 'clock' | 'random'> & { readonly artifactsDir?: string | undefined },
    header: Pick<LogHeader, 'eval'>,
  ): LoggedArtifacts | undefined {
    const { artifactsDir: dir, disk, clock, random } = ports;
    if (dir === undefined) return undefined;
    return new LoggedArtifacts(ArtifactCache.open({ disk, clock, random, dir }), header.eval.metadata);
  }

  /** What is not here is missed by the scorer that asks for it, and by no other. */
  async of(metadata: JsonObject): Promise<SampleArtifacts> {
    const used = usedSchema.safeParse(metadata).data?.holdfast.artifacts ?? {};
    const places: ArtifactPlace[] = [];
    const missing = new Map<string, ActionableError>();
    for (const [name, digest] of Object.entries(used)) {
      const place = await this.#placeOf(digest);
      if (place) places.push(place);
      else missing.set(name, gone(name, digest));
    }
    return sampleArtifacts(places, missing);
  }

  #placeOf(digest: string): Promise<ArtifactPlace | undefined> {
    const known = this.#places.get(digest) ?? this.#use(this.#pins.get(digest));
    this.#places.set(digest, known);
    return known;
  }

  async #use(pin: Pin | undefined): Promise<ArtifactPlace | undefined> {
    const use = pin && (await this.#cache.use(pin));
    if (use?.kind !== 'usable') return undefined;
    return {
      kind: use.generation.manifest.kind,
      key: use.generation.manifest.key,
      dir: use.generation.filesDir,
    };
  }
}

function gone(name: string, digest: string): ActionableError {
  return new ActionableError({
    code: 'E_ARTIFACT_GONE',
    message: `The sample used ${name} with the digest ${digest.slice(0, 16)}…, which is not in the cache, or not whole.`,
    hint: 'Merge or pull it: holdfast artifacts merge <cache or bucket>. Or run the eval again.',
  });
}
