const NEAR = 200;

/** Where a row is now that was at `index` before: the nearest place with its id; undefined when it is not near, or has not come yet. */
export function movedRow(
  id: string,
  index: number,
  idAt: (index: number) => string | undefined,
): number | undefined {
  for (let away = 0; away <= NEAR; away += 1) {
    if (idAt(index + away) === id) return index + away;
    if (away > 0 && index - away >= 0 && idAt(index - away) === id) return index - away;
  }
  return undefined;
}
