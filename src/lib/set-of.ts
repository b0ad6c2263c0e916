/** Tables of names as the sources write them: over several lines, with blanks between them. */

/** Many are read at each start, where a pattern would first be compiled. */
export const setOf = (names: string): ReadonlySet<string> => new Set(names.split("\n").flatMap((line) => line.trim().split(" ")));
