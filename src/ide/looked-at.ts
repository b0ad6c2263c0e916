/** What a person has open in an editor, as a label for people and as a part of a message for the agent. Pure: the page takes it whole. */

export interface LookedAt {
  /** Its path: relative to the project where it is shown, absolute between an editor and a terminal. */
  readonly file: string;
  /** The selection; undefined if there is none. */
  readonly selection: { readonly firstLine: number; readonly lastLine: number; readonly text: string } | undefined;
  /** What the editor reports about the file, or about the selected lines: one line each. */
  readonly problems: readonly string[];
}

export function lookedAtLabel({ file, selection, problems }: LookedAt): string {
  const lines = selection === undefined ? "" : `:${range(selection)}`;
  return `${file}${lines}${problems.length === 0 ? "" : ` · ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`}`;
}

const range = ({ firstLine, lastLine }: { readonly firstLine: number; readonly lastLine: number }): string =>
  firstLine === lastLine ? String(firstLine) : `${firstLine}-${lastLine}`;

const openMark = "Open in my editor: ";
const selectedMark = "Selected in my editor, ";
const problemsMark = "Problems that my editor reports there:";

/** The part of a message that describes it to the agent. */
export function lookedAtText({ file, selection, problems }: LookedAt): string {
  const name = oneLine(file);
  const what = selection === undefined ? `${openMark}${name}` : `${selectedMark}${name}:${range(selection)}:\n\n${fenced(selection.text)}`;
  return problems.length === 0 ? what : `${what}\n\n${problemsMark}\n${problems.map((problem) => `- ${oneLine(problem)}`).join("\n")}`;
}

/** A name with a line break in it must not look like a part of the message. */
const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, " ");

/** A fenced block that its content cannot close. */
export function fenced(text: string): string {
  const bar = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((run) => run[0].length + 1)));
  return `${bar}\n${text}\n${bar}`;
}

export interface ShownMessage {
  readonly text: string;
  /** Labels of what an editor added to it. */
  readonly seen: readonly string[];
}

/** A person's message without what an editor added: our own parts, and Codex's heading before the request. */
export function shownMessage(texts: readonly string[], between = "\n"): ShownMessage {
  const labels = texts.map(labelIn);
  const [first = "", ...rest] = texts.filter((_, i) => labels[i] === undefined);
  const { request, seen } = withoutHeading(first);
  return { text: [request, ...rest].join(between), seen: [...seen, ...labels.flatMap((label) => label ?? [])] };
}

const problemLines = new RegExp(`^\\n\\n${problemsMark}\\n((?:- .*(?:\\n|$))+)$`);

function labelIn(text: string): string | undefined {
  const open = /^Open in my editor: (?<name>[^\n]+)(?<rest>[\s\S]*)$/.exec(text);
  const selected = /^Selected in my editor, (?<name>[^\n]+):\n\n(?<bar>`{3,})\n[\s\S]*\n\k<bar>(?<rest>(?!`)[\s\S]*)$/.exec(text);
  const { name, rest = "" } = (open ?? selected)?.groups ?? {};
  if (name === undefined) return undefined;
  if (rest === "") return name;
  const listed = problemLines.exec(rest)?.[1];
  if (listed === undefined) return undefined;
  const count = listed.trimEnd().split("\n").length;
  return `${name} · ${count} ${count === 1 ? "problem" : "problems"}`;
}

const heading = "# Context from my IDE setup:\n";
const requestMark = "## My request for Codex:";

function withoutHeading(text: string): { readonly request: string; readonly seen: readonly string[] } {
  const at = text.startsWith(heading) ? text.lastIndexOf(requestMark) : -1;
  if (at < 0) return { request: text, seen: [] };
  const file = /^## Active file: (.+)$/m.exec(text.slice(0, at))?.[1];
  return { request: text.slice(at + requestMark.length).trim(), seen: [file ?? "open files"] };
}
