import { createContext } from 'react';

/** The event in which a hit of the search is: nothing in it is folded away. */
export const Sought = createContext<number | undefined>(undefined);
/** Whether what is around is that event. */
export const IsSought = createContext(false);
