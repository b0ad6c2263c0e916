/**
 * `npm run split`: finds out by trying which modules a start, a list of threads and a turn use, and writes scripts/bundle-parts.json, from which the build puts
 * the others into chunks that are loaded on first use. Run it when a test says that starts load too much. Takes a few minutes.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { bundleInto } from "./build.ts";
import { factsModules, type SplitParts, writeParts } from "./bundle-parts.ts";
import { makeRepository } from "./small-repository.ts";
import { storeThread } from "./small-thread.ts";

const root = path.resolve(import.meta.dirname, "..");
const scratch = mkdtempSync(path.join(tmpdir(), "parley-split-"));
/** A chunk that is read too early is not whole yet, and the server never answers. */
const runMs = 15_000;
/** What a server does a moment after its start (cleaning up after others) belongs to the start: else each idle server would load the rest for it. */
const idleMs = 2500;
/** Each round takes out what the one before has found; more would mean that it does not converge. */
const rounds = 40;

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "exec_command", arguments: JSON.stringify({ cmd: "true" }) };
const message = { type: "message", id: "m_1", role: "assistant", content: [{ type: "output_text", text: "Ready." }] };

/** A model that asks for one command and then says a word. */
const model = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => {
    const item = body.includes("function_call_output") ? message : call;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const created = { type: "response.created", response: { id: "r" } };
    const completed = { type: "response.completed", response: { id: "r", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } };
    response.end([created, { type: "response.output_item.done", item }, completed].map(event).join(""));
  });
});

/** What a server is started for: a thread, a list of threads, or a thread with a turn, lists after it and one of all other methods. */
type Purpose = "start" | "list" | "turn";

async function play(args: readonly string[], env: Readonly<Record<string, string>>, purpose: Purpose): Promise<boolean> {
  const home = mkdtempSync(path.join(scratch, "home-"));
  const { port } = model.address() as AddressInfo;
  const provider = ["[model_providers.mock]", 'name = "mock"', `base_url = "http://127.0.0.1:${port}/v1"`, 'wire_api = "responses"'];
  const top = ['model = "gpt-5.5"', 'model_provider = "mock"', 'sandbox_mode = "danger-full-access"', 'approval_policy = "never"'];
  const trust = [`[projects."${home}"]`, 'trust_level = "trusted"'];
  writeFileSync(path.join(home, "config.toml"), [...top, ...provider, ...trust, ""].join("\n"));
  makeRepository(home);
  storeThread(home);
  const { PATH } = process.env;
  const server = spawn(process.execPath, [...args, "app-server"], {
    cwd: home,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH, HOME: home, CODEX_HOME: home, ...env },
    timeout: runMs,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<number | null>((resolve) => server.on("close", resolve));
  const ask = (id: number, method: string, params: object): unknown => server.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
  createInterface(server.stdout).on("line", (line) => {
    const { id, method, result } = JSON.parse(line);
    const isEnd = id === { start: 1, list: 4, turn: 5 }[purpose];
    if (id === 0 && purpose === "list") ask(3, "thread/list", {});
    else if (id === 0) ask(1, "thread/start", { cwd: home });
    else if (id === 1 && purpose === "turn")
      ask(2, "turn/start", { threadId: result?.thread?.id, input: [{ type: "text", text: "Hello" }] });
    if (method === "turn/completed") ask(3, "thread/list", {});
    if (id === 3) ask(4, "thread/list", { sortKey: "updated_at" });
    if (id === 4 && purpose === "turn") ask(5, "model/list", {});
    if (isEnd) setTimeout(() => server.stdin.end(), purpose === "turn" ? 0 : idleMs);
  });
  ask(0, "initialize", { clientInfo: { name: "split", version: "1" } });
  return (await ended) === 0;
}

/** The modules of which a run has called at least one function with a name. */
async function usedBy(purpose: Purpose): Promise<ReadonlySet<string>> {
  const folder = mkdtempSync(path.join(scratch, "coverage-"));
  const hasEnded = await play([path.join(root, "src/cli/main.ts")], { NODE_V8_COVERAGE: folder }, purpose);
  if (!hasEnded) throw new Error("the server from sources did not answer");
  const used = new Set<string>();
  for (const file of readdirSync(folder))
    for (const { url, functions } of JSON.parse(readFileSync(path.join(folder, file), "utf8")).result) {
      const isUsed = functions.some(
        (one: { readonly functionName: string; readonly ranges: readonly { readonly count: number; readonly startOffset: number }[] }) =>
          one.functionName !== "" && (one.ranges[0]?.count ?? 0) > 0 && (one.ranges[0]?.startOffset ?? 0) > 0,
      );
      if (isUsed && url.startsWith("file:")) used.add(path.relative(root, new URL(url).pathname));
    }
  return used;
}

const spy = `const M = require("node:module"), fs = require("node:fs"), load = M._load;
M._load = function (name, ...rest) {
  const part = /\\/(lists|later|seldom)-/.exec(name)?.[1];
  const member = part && /at get ([\\w$]+) /.exec(new Error().stack)?.[1];
  if (part) fs.appendFileSync(process.env.SPLIT_LOG, part + " " + (member ?? "") + "\\n");
  return load.call(this, name, ...rest);
};`;

interface Read {
  readonly part: string;
  readonly member: string;
}

/** The members of lazy chunks that a run of the bundle has read, by chunk. */
async function readBy(bundle: string, purpose: Purpose): Promise<readonly Read[]> {
  const log = path.join(scratch, "loads");
  writeFileSync(log, "");
  writeFileSync(path.join(scratch, "spy.cjs"), spy);
  const hasEnded = await play(["-r", path.join(scratch, "spy.cjs"), path.join(bundle, "parley.cjs")], { SPLIT_LOG: log }, purpose);
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  if (!hasEnded && lines.length === 0) throw new Error("the server from the bundle did not answer");
  return lines.map((line) => ({ part: line.split(" ")[0] ?? "", member: (line.split(" ")[1] ?? "").replace(/\$\d+$/, "") }));
}

/** Which of these modules export the name; the bundler calls what a JSON file exports after the file. */
function exporting(name: string, modules: readonly string[]): readonly string[] {
  const file = name.endsWith("_default") ? name.slice(0, -"_default".length) : undefined;
  if (file !== undefined) return modules.filter((each) => path.parse(each).name === file);
  const pattern = new RegExp(`export (?:async )?(?:const|function|class|let) ${RegExp.escape(name)}\\b`);
  return modules.filter((each) => pattern.test(readFileSync(path.join(root, each), "utf8")));
}

async function bundleOf(parts: SplitParts): Promise<{ readonly folder: string; readonly modules: readonly string[] }> {
  writeParts(parts);
  const folder = mkdtempSync(path.join(scratch, "bundle-"));
  return { folder, modules: (await bundleInto(folder)).app };
}

/** The modules of these chunks that a run has read, though the chunks are not for it. */
function wronglyIn(parts: SplitParts, chunks: readonly (keyof SplitParts)[], reads: readonly Read[]): ReadonlySet<string> {
  const wrong = chunks.flatMap((chunk) => reads.filter(({ part }) => part === chunk).map(({ member }) => ({ chunk, member })));
  const found = new Set(wrong.flatMap(({ chunk, member }) => exporting(member, parts[chunk])));
  if (wrong.length > 0 && found.size === 0) throw new Error(`nobody exports ${JSON.stringify(wrong)}`);
  return found;
}

/** Puts the modules that a purpose needs after all where it finds them. */
function corrected(parts: SplitParts, needed: Readonly<Record<Purpose, ReadonlySet<string>>>): SplitParts {
  const others = (files: readonly string[], ...sets: readonly ReadonlySet<string>[]) =>
    files.filter((file) => !sets.some((set) => set.has(file)));
  return {
    lists: others([...parts.lists, ...needed.list], needed.start).sort(),
    later: others([...parts.later, ...needed.turn], needed.start, needed.list).sort(),
    seldom: others(parts.seldom, needed.start, needed.list, needed.turn),
  };
}

async function main(): Promise<void> {
  await new Promise<void>((resolve) => void model.listen(0, "127.0.0.1", resolve));
  const [atStart, inList, inTurn] = [await usedBy("start"), await usedBy("list"), await usedBy("turn")];
  const { modules } = await bundleOf({ lists: [], later: [], seldom: [] });
  const candidates = modules.filter((file) => !atStart.has(file) && !factsModules.includes(file)).sort();
  const inEither = (file: string): boolean => inList.has(file) || inTurn.has(file);
  let parts: SplitParts = {
    lists: candidates.filter((file) => inList.has(file)),
    later: candidates.filter((file) => inTurn.has(file) && !inList.has(file)),
    seldom: candidates.filter((file) => !inEither(file)),
  };
  for (let round = 1; ; round++) {
    const { folder } = await bundleOf(parts);
    const needed = {
      start: wronglyIn(parts, ["lists", "later", "seldom"], await readBy(folder, "start")),
      list: wronglyIn(parts, ["later", "seldom"], await readBy(folder, "list")),
      turn: wronglyIn(parts, ["seldom"], await readBy(folder, "turn")),
    };
    const counts = `${parts.lists.length} for lists, ${parts.later.length} later, ${parts.seldom.length} seldom`;
    console.log(
      `round ${round}: ${counts}; too many read: starts ${needed.start.size}, lists ${needed.list.size}, turns ${needed.turn.size}`,
    );
    if (needed.start.size + needed.list.size + needed.turn.size === 0) break;
    if (round === rounds) throw new Error("no split was found");
    parts = corrected(parts, needed);
  }
}

try {
  await main();
} finally {
  model.close();
  rmSync(scratch, { recursive: true, force: true });
}
