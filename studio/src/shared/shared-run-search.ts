import { z } from 'zod';
import { choiceField } from '../app/search-fields.ts';

export const TABS = ['workers', 'leases', 'failures', 'artifacts', 'rounds'] as const;
export type SharedTab = (typeof TABS)[number];

export const search = z.object({ part: choiceField(TABS) });
