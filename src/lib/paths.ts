/** Compares paths by component, for code that must know whether one path lies inside another. */
import path from "node:path";

/** The rules of this platform; tests pass another platform's. */
export type PathStyle = Pick<typeof path, "relative" | "sep" | "isAbsolute" | "parse">;

/** Whether `child` is `parent` or lies below it. Both absolute; `/a/bc` is not inside `/a/b`. Compares names only: resolve links first. */
export function isInside(child: string, parent: string, style: PathStyle = path): boolean {
  return relativeInside(child, parent, style) !== undefined;
}

/** The relative path from `parent` down to `child` ("" for the same path), or undefined when `child` lies elsewhere. */
export function relativeInside(child: string, parent: string, style: PathStyle = path): string | undefined {
  if (isPlain(child, style) && isPlain(parent, style)) {
    if (!child.startsWith(parent)) return undefined;
    return child.length === parent.length ? "" : child[parent.length] === "/" ? child.slice(parent.length + 1) : undefined;
  }
  const way = style.relative(parent, child);
  const leaves = way === ".." || way.startsWith(`..${style.sep}`) || style.isAbsolute(way);
  return leaves ? undefined : way;
}

/** Whether names can be compared as they are. Every command compares hundreds of paths, and nearly all are like that. */
const isPlain = (name: string, { sep }: PathStyle): boolean => sep === "/" && name.startsWith("/") && !needsResolving.test(name);
/** Empty components, `.` and `..`; a slash at the end. */
const needsResolving = /\/\.{0,2}(?:\/|$)/;

export function isInsideAny(child: string, parents: Iterable<string>): boolean {
  for (const parent of parents) if (isInside(child, parent)) return true;
  return false;
}

/** The folders strictly between the two, outermost first. */
export function foldersBetween(outer: string, inner: string): string[] {
  const found: string[] = [];
  for (let at = path.dirname(inner); at !== outer && isInside(at, outer); at = path.dirname(at)) found.unshift(at);
  return found;
}

/** The longest of `roots` that contains `child`. */
export function rootOf(child: string, roots: readonly string[], style: PathStyle = path): string | undefined {
  return roots.filter((root) => isInside(child, root, style)).sort((a, b) => b.length - a.length)[0];
}

/** The path's components below the file system's root, in order. */
export function components(absolute: string, style: PathStyle = path): string[] {
  const { root } = style.parse(absolute);
  return absolute
    .slice(root.length)
    .split(style.sep)
    .filter((name) => name !== "");
}

/** With `/` on every platform: the form in diffs and search results. */
export const withSlashes = (name: string, style: PathStyle = path): string => (style.sep === "/" ? name : name.split(style.sep).join("/"));

/** Why a name cannot be a path on any system, or undefined. Checked early so that no later layer fails half-way. */
export function pathProblem(name: string): string | undefined {
  if (name === "") return "the path is empty";
  if (name.includes("\0")) return "the path holds a NUL character";
  if (Buffer.byteLength(name) > 4000) return "the path is longer than 4000 bytes";
  if (name.split(/[\\/]/).some((part) => Buffer.byteLength(part) > 255)) return "a name in the path is longer than 255 bytes";
  return undefined;
}
