/** Chance for test/fleet/chaos.ts: the same for the same seed, as far as processes allow. */

/** Mulberry32. */
let state = 0;
export function seed(value: number): void {
  state = value | 0;
}
export function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
export const between = (low: number, high: number): number => low + random() * (high - low);
export const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
