/** Replaces a text in a file: its single occurrence, or all of them if the model says so. Pure. */
import { nearestLines } from "./nearest-lines.ts";
import { plain } from "./seek.ts";
import type { Updated } from "./update.ts";

export interface Replacing {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

/** `name` is the file's name in error messages. */
export function replaceText(original: string, { oldText, newText, all }: Replacing, name: string): Updated {
  if (oldText === "") return { failed: `old_text is empty; to replace all of ${name} use write` };
  const isWindows = /\r\n/.test(original) && !/(?<!\r)\n/.test(original);
  const text = isWindows ? original.replaceAll("\r\n", "\n") : original;
  const wanted = isWindows ? oldText.replaceAll("\r\n", "\n") : oldText;
  const next = isWindows ? newText.replaceAll("\r\n", "\n") : newText;
  const back = (changed: string): Updated => ({ text: isWindows ? changed.replaceAll("\n", "\r\n") : changed });
  const places = placesOf(text, wanted);
  const [first] = places;
  if (first !== undefined && (all || places.length === 1))
    return back(all ? text.replaceAll(wanted, () => next) : splice(text, first, wanted.length, next));
  if (places.length > 1)
    return {
      failed: several(
        places.map((at) => lineOf(text, at)),
        name,
      ),
    };
  const lines = text.split("\n");
  const loose = looseMatches(lines, wanted);
  if (loose.length > 1)
    return {
      failed: several(
        loose.map((match) => match.from + 1),
        name,
      ),
    };
  const [match] = loose;
  if (match === undefined) return { failed: notThere(lines, wanted, name) };
  return back([...lines.slice(0, match.from), ...(next === "" ? [] : bodyLines(next)), ...lines.slice(match.to)].join("\n"));
}

/** Enough positions for the error message; further occurrences are not searched. */
const maxPlaces = 1000;

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && places.length < maxPlaces; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

const splice = (text: string, at: number, length: number, next: string): string => text.slice(0, at) + next + text.slice(at + length);
const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Whole lines that differ only in trailing spaces, or in typographic quotes and dashes. */
function looseMatches(lines: readonly string[], wanted: string): { from: number; to: number }[] {
  const wantedLines = bodyLines(wanted);
  for (const loosen of [(line: string) => line.trimEnd(), (line: string) => plain(line).trimEnd()]) {
    const pattern = wantedLines.map(loosen);
    const matches: { from: number; to: number }[] = [];
    if (pattern.every((line) => line === "")) return matches;
    for (let at = 0; at + pattern.length <= lines.length; at++)
      if (pattern.every((line, i) => loosen(lines[at + i] ?? "") === line)) matches.push({ from: at, to: at + pattern.length });
    if (matches.length > 0) return matches;
  }
  return [];
}

/** The lines of a text; a trailing line break does not start another line. */
const bodyLines = (text: string): string[] => {
  const lines = text.split("\n");
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
};

const maxNamed = 12;

function several(lines: readonly number[], name: string): string {
  const named = lines.slice(0, maxNamed).join(", ");
  const more = lines.length > maxNamed ? " and further down" : "";
  return `old_text occurs ${lines.length} times in ${name}, at lines ${named}${more}; give more of the lines around the place you mean, or set replace_all`;
}

function notThere(lines: readonly string[], wanted: string, name: string): string {
  const near = nearestLines(lines, wanted.split("\n"));
  return `old_text does not occur in ${name}.${near === "" ? " Read the file again: it has no such lines." : ` ${near}`}`;
}
