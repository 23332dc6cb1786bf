/**
 * Counts that may only go down. Whoever brings one down lowers its number here; nobody raises it. What each counts, and
 * where the rest of it is, the failing test says.
 */
export const RATCHETS = {
  /** Names that a room's door shows and nobody outside the room takes. */
  unusedDoorNames: 0,
  /** `as unknown as`, in tests too: stored documents are parsed, not cast. */
  doubleCasts: 0,
  /** `...(x && { x })`: settings go down as one object, and `definedOf` leaves out what is absent. */
  conditionalSpreads: 277,
  /** Timers outside `base/`, whose clock owns them. */
  timers: 0,
  /** Files of more than 400 lines. */
  longFiles: 0,
  /** Functions of more than 70 lines. */
  longFunctions: 0,
  /** Functions of more than 40 lines, which is what we aim for. */
  ratherLongFunctions: 11,
  /** Clauses of formats and ports that no test carries in its name. */
  unprovedClauses: 0,
  /** Error codes that no test asserts. */
  unassertedCodes: 0,
};

/** At least so many faults are tried by `npm run mutants`; this number only goes up. */
export const MUTANTS_MIN = 1285;
