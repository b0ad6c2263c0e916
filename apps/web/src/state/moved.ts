/** Order in lists that people sort by hand. */

/** A copy in which the entry at this place has moved by so many places, not beyond the ends. */
export function moved<T>(list: readonly T[], at: number, by: number): readonly T[] {
  const to = Math.max(0, Math.min(list.length - 1, at + by));
  const rest = list.filter((_, i) => i !== at);
  const entry = list[at];
  return entry === undefined ? list : [...rest.slice(0, to), entry, ...rest.slice(to)];
}
