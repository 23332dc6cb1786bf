import { Option } from 'commander';

export interface SampleWhereFlags {
  readonly where?: string;
  readonly sort?: string;
  readonly score?: string;
}

/** The language of the Studio, for the samples of one log. */
export function sampleWhereOptions(): readonly Option[] {
  return [
    new Option('--where <filter>', 'only samples that a filter of the Studio leaves: "score:fail cost>0.2"'),
    new Option('--sort <keys>', 'samples by these, falling with a minus: -cost,id'),
    new Option('--score <name>', 'with --where or --sort: the score that decides what passed'),
  ];
}

export function isSaidWhich({ where, sort }: SampleWhereFlags): boolean {
  return where !== undefined || sort !== undefined;
}
