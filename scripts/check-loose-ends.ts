/**
 * Fails when unawaited work is started without handling its failure, or when input from unknown clients is handled without a catch. What
 * still slips through ends at src/main/survive.ts; this keeps that the exception. Accidentally unawaited promises are found by the linter
 * (noFloatingPromises, noMisusedPromises).
 */
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Calls that return no promise: `void` there only discards the value. */
const plainCalls = ["add", "delete", "destroy", "on", "push", "set", "setImmediate", "resolve", "reject", "warn", "test"];
/** Calls whose promises reject only because of a bug, each with what handles the other errors. */
const neverReject: Readonly<Record<string, string>> = {
  "exit.then": "a command's end always resolves; the callback catches its own errors",
  kill: "waits for processes to exit, and signals to exited ones are no errors",
  "closed.then": "a connection's end always resolves",
  "finished.then": "a tool call's failure is its result",
  "done.then": "how a sign-in failed is its result",
  "promise.then": "a turn's end always resolves",
  "written.then": "an audit entry that was not written is in the log",
  untilEnded: "the end of a stream always resolves",
  "#play": "a turn that fails has an outcome, and an end that fails is in the log",
  "#open": "a connection that cannot be opened is counted, reported and retried",
  "#note": "a lost before-image is in the log",
  "#finish": "how a sign-in failed is announced",
  "#interrupt": "a turn that has ended meanwhile needs none",
  "#closeIdle": "a file that cannot be closed is dropped",
  rest: "a file that cannot be closed is dropped",
  close: "a connection that cannot be closed is dropped",
  "#cleanUp": "catches everything and logs it",
  "#sendSpans": "what a collector refuses is kept and logged",
  "#sendMetrics": "what a collector refuses is kept and logged",
  "#make": "continues without pipes that cannot be created",
  "#checkDisks": "a disk that does not respond is left out",
  "#search": "folders that cannot be read are left out",
  searchPackages: "folders that cannot be read are left out",
  runBeside: "catches everything and notifies the thread",
  answer: "catches everything and logs it",
  elicit: "a question that cannot be asked is declined",
  update: "a disconnected editor gets no more updates",
  pipe: "the end of either side is its result",
  "#serve": "catches everything and responds with it",
  "#deliver": "a notification that does not arrive is in the log",
  "#waitForExit": "a client that disconnects or refuses is the result",
  "#answered": "a client that disconnects, refuses or is late is the result",
  "#look": "a client that disconnects, refuses or is late is the result",
  "created.then": "a client that disconnects or refuses is the result",
  postMessage: "a closed panel gets no more messages",
  showInformationMessage: "only shows a message: nothing depends on it",
  start: "the command line itself: an error ends the program with the reason",
};
/** Events that carry input from others. */
const strangersEvents = /\.(?:on|once)\("(request|upgrade|connection|message|clientError|wsClientError|ping)"/;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = globSync(["src/**/*.ts", "apps/vscode/src/{host,editor}/**/*.ts"]).filter((file) => !/\.test\.tsx?$/.test(file));
  const found = files.flatMap((file) => looseEnds(readFileSync(file, "utf8")).map((problem) => `${file}:${problem}`));
  for (const problem of found) console.error(problem);
  process.exitCode = found.length === 0 ? 0 : 1;
}

/** The errors in one text, each with its line. */
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
  return `\`void ${call.split("\n")[0]}\`: catch its rejection, or state in scripts/check-loose-ends.ts why it cannot reject`;
}

/** By its last name before the first bracket; for `.then` the call before it. */
function nameOf(call: string): string {
  const names = (/^\(?[\w.#?$ &]+/.exec(call)?.[0] ?? "")
    .replaceAll("?", "")
    .split(/[.( &]+/)
    .filter((name) => name !== "this" && name !== "");
  return names.at(-1) === "then" ? names.slice(-2).join(".") : (names.at(-1) ?? "");
}

/** The expression at the start of the text: names, dots and balanced brackets, up to one of the ends. */
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

/** `.then(onValue, onError)` as the last call of the chain. */
function hasTwoWays(call: string): boolean {
  const last = /\.then\(((?:.|\n)*)\)$/.exec(call.trim())?.[1];
  return last !== undefined && chainFrom(last).length < last.trimEnd().replace(/,$/, "").length;
}

/** A handler of external input catches what it throws, or does next to nothing. */
function openEvent(line: string, rest: string): string | undefined {
  const [begun, event] = strangersEvents.exec(line) ?? [];
  if (begun === undefined) return undefined;
  const handler = chainFrom(rest.slice(line.indexOf(begun) + begun.indexOf("(") + 1), ";");
  if (/\btry\b|\.catch\(|\.then\(|\/\/ never throws: \w/.test(`${line}\n${handler}`)) return undefined;
  return `the event "${event}" carries input from others: catch what its handler throws, or add \`// never throws: why\``;
}
