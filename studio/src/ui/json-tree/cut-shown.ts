import { createContext, type ReactNode } from 'react';
import type { CutText } from '../../../../src/server/api.ts';

/** How a text that was cut is shown in a tree; without it, only its beginning is. */
export const CutShown = createContext<((text: CutText) => ReactNode) | undefined>(undefined);
