import type { QueryClient } from '@tanstack/react-query';
import type { StudioData } from '../data/studio-data.ts';

/** What routes have before any component. */
export interface RouterContext {
  readonly client: QueryClient;
  readonly data: StudioData;
}
