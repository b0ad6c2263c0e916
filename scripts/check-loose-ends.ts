/**
 * Fails when work that nobody waits for is begun without a word on who hears of its failure, or when what strangers send is handled without a
 * catch. What slips through all the same ends at src/main/survive.ts; this keeps that the exception. Promises that are left lying by
 * mistake are found by the linter (noFloatingPromises, noMisusedPromises).
 */
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Calls that give no promise: `void` there only says that the value is not wanted. */
const plainCalls = ["add", "delete", "destroy", "on", "push", "set", "setImmediate", "resolve", "reject", "warn", "test"];
/** Calls whose promises fail by a bug alone, each with what takes care of the rest. */
const neverReject: Readonly<Record<string, string>> = {
  "exit.then": "a command's end is told, never refused; what is done about it catches for itself",
  kill: "waits for processes to go, and signals to those that have gone are no errors",
  "closed.then": "a connection's end is told, never refused",
  "finished.then": "a tool call's failure is its result",
  "done.then": "how a sign-in failed is its result",
  "promise.then": "a turn's end is told, never refused",
  "written.then": "a line of the book that was not written is in the log",
  untilEnded: "the end of a stream is told, never refused",
  "#play": "a turn that fails has an outcome, and an end that fails is in the log",
  "#open": "a link that cannot be opened is counted, told and tried again",
  "#note": "a before-image that is lost is in the log",
  "#finish": "how a sign-in failed is announced",
  "#interrupt": "a turn that has ended meanwhile needs none",
  "#closeIdle": "a file that cannot be closed is let go",
  rest: "a file that cannot be closed is let go",
  close: "a connection that cannot be closed is let go",
  closeGroup: "a connection that cannot be closed is let go",
  "#cleanUp": "catches all, and says so in the log",
  "#sendSpans": "what a collector refuses is kept and said in the log",
  "#sendMetrics": "what a collector refuses is kept and said in the log",
  "#make": "pipes that cannot be made are done without",
  "#lookAtDisks": "a disk that does not answer is left out",
  "#search": "folders that cannot be read are left out",
  searchPackages: "folders that cannot be read are left out",
  runBeside: "catches all, and tells the thread",
  answer: "catches all, and says so in the log",
  elicit: "a question that cannot be put is answered with a no",
  update: "an editor that went away hears nothing more",
  pipe: "the end of either side is its result",
  "#serve": "catches all, and answers with it",
  postMessage: "a panel that has gone hears nothing more",
  showInformationMessage: "words alone: nothing follows from them",
  start: "the command line itself: what it throws ends the program with the reason",
};
/** Events that carry what somebody else sent. */
const strangersEvents = /\.(?:on|once)\("(request|upgrade|connection|message|clientError|wsClientError|ping)"/;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = globSync(["src/**/*.ts", "apps/vscode/src/{host,editor}/**/*.ts"]).filter((file) => !/\.test\.tsx?$/.test(file));
  const found = files.flatMap((file) => looseEnds(readFileSync(file, "utf8")).map((problem) => `${file}:${problem}`));
  for (const problem of found) console.error(problem);
  process.exitCode = found.length === 0 ? 0 : 1;
}

/** What is wrong with one text, each with its line. */
export function looseEnds(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const problem = loosePromise(line, lines.slice(at).join("\n")) ?? openEvent(line, lines.slice(at).join("\n"));
    return problem === undefined ? [] : [`${at + 1}: ${problem}`];
  });
}

/** `void` before a call: it is caught, or in the list of those that cannot fail. */
function loosePromise(line: string, rest: string): string | undefined {
  const begun = /(?:^|[;{(]|=>|\breturn|\belse|\)) *void (?=[a-zA-Z(])/.exec(line);
  if (begun === null || /^\s*(?:\*|\/[/*])/.test(line)) return undefined;
  const call = chainFrom(rest.slice(begun.index + begun[0].length));
  if (!call.includes("(") || /\.catch\(/.test(call) || hasTwoWays(call)) return undefined;
  if (plainCalls.includes(nameOf(call)) || Object.hasOwn(neverReject, nameOf(call))) return undefined;
  return `\`void ${call.split("\n")[0]}\`: catch what it may reject with, or say in scripts/check-loose-ends.ts why it cannot`;
}

/** By its last name before the first bracket; what is done `then` with the one before it. */
function nameOf(call: string): string {
  const names = (/^\(?[\w.#?$ &]+/.exec(call)?.[0] ?? "")
    .replaceAll("?", "")
    .split(/[.( &]+/)
    .filter((name) => name !== "this" && name !== "");
  return names.at(-1) === "then" ? names.slice(-2).join(".") : (names.at(-1) ?? "");
}

/** The expression at the beginning of the text: names, dots and whole brackets, up to one of the ends. */
function chainFrom(text: string, ends = ";,"): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char) && --depth < 0) return text.slice(0, at);
    else if (depth === 0 && ends.includes(char)) return text.slice(0, at);
  }
  return text;
}

/** `.then(kept, broken)` as the last link. */
function hasTwoWays(call: string): boolean {
  const last = /\.then\(((?:.|\n)*)\)$/.exec(call.trim())?.[1];
  return last !== undefined && chainFrom(last).length < last.trimEnd().replace(/,$/, "").length;
}

/** A handler of what strangers send catches what it throws, or does next to nothing. */
function openEvent(line: string, rest: string): string | undefined {
  const [begun, event] = strangersEvents.exec(line) ?? [];
  if (begun === undefined) return undefined;
  const handler = chainFrom(rest.slice(line.indexOf(begun) + begun.indexOf("(") + 1), ";");
  if (/\btry\b|\.catch\(|\.then\(|\/\/ never throws: \w/.test(`${line}\n${handler}`)) return undefined;
  return `the event "${event}" brings what others send: catch what its handler throws, or say \`// never throws: why\``;
}
