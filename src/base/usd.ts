/** Prices are no round numbers in binary: ten times $0.02 is a little less than $0.20. What differs by less than this share is equal. */
const ROUNDING = 1e-9;

/** True when all of `limitUsd` is used. */
export function isUsdUsedUp(usd: number, limitUsd: number): boolean {
  return usd >= limitUsd * (1 - ROUNDING);
}

/** True when more than `limitUsd` is used. */
export function isUsdBeyond(usd: number, limitUsd: number): boolean {
  return usd > limitUsd * (1 + ROUNDING);
}
