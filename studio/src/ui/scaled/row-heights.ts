const FIRST_ROWS = 1_024;

/**
 * The heights of hundreds of thousands of rows: where a row begins and which row is at a place are both found in a few steps, and
 * a row that turns out to be taller changes nothing but itself. (A binary indexed tree: `#sums[i]` holds the sum of the last
 * `i & -i` heights up to row `i`, counted from 1.)
 */
export class RowHeights {
  #heights = new Float64Array(FIRST_ROWS);
  #sums = new Float64Array(FIRST_ROWS + 1);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Of all rows together. */
  get total(): number {
    return this.topOf(this.#count);
  }

  /** Begins anew. */
  reset(count: number, heightOf: (row: number) => number): void {
    this.#count = 0;
    this.append(count, heightOf);
  }

  append(count: number, heightOf: (row: number) => number): void {
    this.#makeRoom(this.#count + count);
    for (let added = 0; added < count; added++) {
      const row = this.#count++;
      const height = heightOf(row);
      this.#heights[row] = height;
      const at = row + 1;
      let sum = height;
      for (let step = 1; step < (at & -at); step <<= 1) sum += this.#sums[at - step] ?? 0;
      this.#sums[at] = sum;
    }
  }

  heightOf(row: number): number {
    return row < this.#count ? (this.#heights[row] ?? 0) : 0;
  }

  /** Where a row begins; where all end for the row after the last. */
  topOf(row: number): number {
    let sum = 0;
    for (let at = Math.min(row, this.#count); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** The row that is at a place: the first before all, the last behind all. */
  rowAt(place: number): number {
    let row = 0;
    let left = place;
    for (let step = highestBit(this.#count); step > 0; step >>= 1) {
      const next = row + step;
      const sum = this.#sums[next] ?? 0;
      if (next > this.#count || sum > left) continue;
      row = next;
      left -= sum;
    }
    return Math.max(0, Math.min(row, this.#count - 1));
  }

  /** Whether it changed. */
  set(row: number, height: number): boolean {
    if (row >= this.#count) return false;
    const more = height - (this.#heights[row] ?? 0);
    if (more === 0) return false;
    this.#heights[row] = height;
    for (let at = row + 1; at <= this.#count; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) + more;
    return true;
  }

  #makeRoom(count: number): void {
    if (count <= this.#heights.length) return;
    const size = Math.max(count, Math.ceil(this.#heights.length * 1.5));
    const heights = new Float64Array(size);
    const sums = new Float64Array(size + 1);
    heights.set(this.#heights);
    sums.set(this.#sums);
    this.#heights = heights;
    this.#sums = sums;
  }
}

function highestBit(value: number): number {
  let bit = 1;
  while (bit * 2 <= value) bit *= 2;
  return value === 0 ? 0 : bit;
}
