import { createHash } from 'node:crypto';
import { type Digest, digestOf, type SampleId, sampleKeyText } from '../base/index.ts';
import type { DefinitionParts } from '../evals/index.ts';

/** One sample to run: a row of the dataset at an epoch. */
export interface PlannedSample {
  /** Position in the dataset. */
  readonly index: number;
  /** Position in the plan. */
  readonly position: number;
  readonly id: SampleId;
  readonly epoch: number;
  /** Target and scoring: equal keys have equal meaning, so such a result can be reused. */
  readonly key: Digest;
  /** The target alone: of equal ones the output can be reused, whoever scores it. */
  readonly asked: Digest;
  /** The artifacts that it uses, by name, each with the digest of its generation; undefined when it needs none. */
  readonly artifacts: Readonly<Record<string, string>> | undefined;
  /** What stays the same when only code changes: eval, target's name, row, epoch (`--reuse=any`). */
  readonly content: Digest;
}

export interface Plan {
  readonly samples: readonly PlannedSample[];
  /** How many samples there are, also after they were let go. */
  readonly size: number;
  readonly identity: PlanIdentity;
  readonly digest: Digest;
  /** Where a sample stands, by its name (`sampleKeyText`); undefined when it is not planned. */
  positionOf(name: string): number | undefined;
  nameAt(position: number): string;
}

/** What all samples of a run have in common. */
export interface PlanIdentity {
  readonly eval: string;
  readonly version: string;
  readonly targetName: string;
  /** What decides outputs, but for rows and epochs. */
  readonly target: Digest;
  /** What decides scores, given the outputs. */
  readonly scoring: Digest;
  /** What decides the numbers of the log, given the outputs. */
  readonly definition: Digest;
  /** What these digests are made of, for whoever asks later what changed; it decides nothing. */
  readonly parts?: DefinitionParts;
}

export interface PlanInput extends PlanIdentity {
  /** The target's name in content keys, when that is another. */
  readonly knownAs?: string;
  readonly epochs: number;
  readonly rows: {
    readonly count: number;
    readonly ids: readonly SampleId[];
    contentDigest(index: number): Digest;
  };
  /** The generations of artifacts that rows need. */
  readonly artifacts?: PlannedArtifacts | undefined;
}

export interface PlannedArtifacts {
  digestsOf(row: number): Readonly<Record<string, string>>;
  /** One for all of a row's, as a part of keys. */
  digestOf(row: number): Digest | undefined;
}

/** Every sample of a run, in the order in which they are admitted: all of epoch 1 first. Pure. */
export function makePlan(input: PlanInput): Plan {
  const { epochs: _epochs, rows: _rows, knownAs = input.targetName, artifacts, ...identity } = input;
  const shared = { identity, knownAs, rows: input.rows, artifacts };
  const samples: PlannedSample[] = [];
  for (let epoch = 1; epoch <= input.epochs; epoch++) {
    for (let index = 0; index < input.rows.count; index++) {
      samples.push(new PlannedRow(shared, index, epoch));
    }
  }
  // Sorted, so that a shuffled or reordered dataset still goes on in the same journal.
  const lines = samples.map(({ id, epoch, key }) => `${JSON.stringify(id)} ${epoch} ${key}`).sort();
  return {
    samples,
    size: samples.length,
    identity,
    digest: digestOfLines([identity.definition, ...lines]),
    ...namesOf(input),
  };
}

/** The key of a result, from what was asked and who scored it. */
export function resultKey(asked: Digest, scoring: Digest): Digest {
  return digestOf(`${asked}\0${scoring}`);
}

/** The map is made when it is first asked for: a run that begins anew never looks a sample up. */
function namesOf({ rows, epochs }: PlanInput): Pick<Plan, 'positionOf' | 'nameAt'> {
  const nameAt = (position: number) =>
    sampleKeyText(rows.ids[position % rows.count] as SampleId, 1 + Math.floor(position / rows.count));
  let positions: Map<string, number> | undefined;
  return {
    nameAt,
    positionOf(name) {
      positions ??= new Map(
        Array.from({ length: rows.count * epochs }, (_, position) => [nameAt(position), position]),
      );
      return positions.get(name);
    },
  };
}

/** The digest of the lines with a newline between them, without making one text of them. */
function digestOfLines(lines: readonly string[]): Digest {
  const hash = createHash('sha256');
  let separator = '';
  for (const line of lines) {
    hash.update(separator + line);
    separator = '\n';
  }
  return hash.digest('hex') as Digest;
}

interface SharedByRows {
  readonly identity: PlanIdentity;
  readonly knownAs: string;
  readonly rows: PlanInput['rows'];
  readonly artifacts: PlannedArtifacts | undefined;
}

/** Its digests are computed when they are asked for: two texts a sample would be most of what a large plan weighs. */
class PlannedRow implements PlannedSample {
  readonly index: number;
  readonly epoch: number;
  readonly #shared: SharedByRows;

  constructor(shared: SharedByRows, index: number, epoch: number) {
    this.#shared = shared;
    this.index = index;
    this.epoch = epoch;
  }

  get position(): number {
    return (this.epoch - 1) * this.#shared.rows.count + this.index;
  }

  get id(): SampleId {
    return this.#shared.rows.ids[this.index] as SampleId;
  }

  get content(): Digest {
    const { identity, knownAs, rows } = this.#shared;
    const row = rows.contentDigest(this.index);
    return digestOf(`${identity.eval}\0${knownAs}\0${row}\0${this.epoch}`);
  }

  get asked(): Digest {
    const { identity, artifacts } = this.#shared;
    const used = artifacts?.digestOf(this.index);
    // What needs no artifact has the key that it always had.
    return digestOf(`${this.content}\0${identity.target}${used === undefined ? '' : `\0${used}`}`);
  }

  get artifacts(): Readonly<Record<string, string>> | undefined {
    const digests = this.#shared.artifacts?.digestsOf(this.index) ?? {};
    return Object.keys(digests).length === 0 ? undefined : digests;
  }

  get key(): Digest {
    return resultKey(this.asked, this.#shared.identity.scoring);
  }
}
