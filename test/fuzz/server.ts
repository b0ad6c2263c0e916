/** Fuzz targets on a whole server: frames of any bytes, and params of every method made from its own schema, right, nearly right and hostile. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { jsonSchema, problem } from "../../src/lib/schema.ts";
import { createApp } from "../../src/main/compose.ts";
import type { Request } from "../../src/protocol/define.ts";
import { clientRequests } from "../../src/protocol/methods.ts";
import { v1Requests } from "../../src/protocol/v1/methods.ts";
import { LinesTransport } from "../../src/rpc/stdio.ts";
import { serve } from "../../src/server/connection.ts";
import type { Printed } from "../oracle/versions.ts";
import { arbitraryOf } from "../support/arbitrary.ts";
import { writeHome } from "../support/verifies.ts";
import { oddText, type Target, target } from "./target.ts";

/** Methods that act on the machine outside of the test's folders, or end what it needs: tried with params that must be refused only. */
const acting: ReadonlySet<string> = new Set([
  ...["fs/remove", "fs/writeFile", "fs/copy", "fs/createDirectory", "fs/watch", "fs/readDirectory", "fs/readFile", "fs/getMetadata"],
  ...["command/exec", "thread/shellCommand", "execOneOffCommand", "fuzzyFileSearch", "fuzzyFileSearch/sessionStart", "gitDiffToRemote"],
  ...["account/login/start", "loginChatGpt", "mcpServer/oauth/login", "initialize", "skills/config/write", "config/value/write"],
  ...["config/batchWrite", "setDefaultModel", "skills/list", "hooks/list", "thread/start", "newConversation"],
]);
const internalError = -32603;

/** A server in this process that a raw line can be sent to. */
class Bench {
  readonly #root = mkdtempSync(path.join(tmpdir(), "parley-fuzz-server-"));
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #waiting = new Map<unknown, (answer: Answer) => void>();
  readonly errors: string[] = [];
  readonly #app: ReturnType<typeof createApp>;
  #next = 0;
  #rest = "";

  constructor() {
    const home = path.join(this.#root, "home");
    mkdirSync(home);
    writeHome(home, { turns: [] });
    const error = (text: string, fields?: object): unknown => this.errors.push(`${text} ${JSON.stringify(fields)}`);
    const quiet = (): void => {};
    this.#app = createApp({
      codexHome: home,
      systemDir: path.join(this.#root, "etc"),
      log: { error, warn: quiet, info: quiet, debug: quiet } as never,
      env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home },
    });
    serve(this.#app, new LinesTransport(this.#input, this.#output));
    this.#output.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
  }
  #hear(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message: Answer = JSON.parse(line);
      if (message.method !== undefined) continue;
      if (message.error?.code === internalError && !isExpected(message.error)) this.errors.push(`an internal error: ${line.slice(0, 500)}`);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }
  write(bytes: string | Buffer): void {
    this.#input.write(bytes);
  }
  ask(method: string, params: unknown): Promise<Answer> {
    const id = `ask-${this.#next++}`;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.write(`${JSON.stringify({ id, method, params })}\n`);
    return answered;
  }
  async hello(): Promise<void> {
    await this.ask("initialize", { clientInfo: { name: "fuzz", title: null, version: "1" }, capabilities: { experimentalApi: true } });
  }
  healthy(): void {
    assert.deepEqual(this.errors.splice(0), [], "the server logged errors");
  }
  async close(): Promise<void> {
    this.#input.end();
    await this.#app.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
/** What the real servers tell under this code, too, though it is the caller's mistake. */
const isExpected = ({ message = "" }: { readonly message?: string }): boolean => /^(?:unknown MCP server '|failed to spawn )/.test(message);

interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

function frames(): Target {
  let bench: Bench | undefined;
  const word = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"id"',
    '"method"',
    '"params"',
    '"result"',
    '"error"',
    '"jsonrpc"',
    '"2.0"',
    "1",
    "null",
  );
  const frame = fc.oneof(
    fc.array(word, { maxLength: 12 }).map((words) => words.join("")),
    fc
      .record({ id: odd, method: odd, params: odd, result: odd, error: odd }, { requiredKeys: [] })
      .map((message) => JSON.stringify(message)),
    fc.constantFrom(
      "[".repeat(100_000),
      `{"id":1,"method":"${"m".repeat(100_000)}"}`,
      '{"id":1,"id":2,"method":"x"}',
      '{"method":"initialized"}',
    ),
    oddText,
  );
  return target({
    name: "frames",
    input: fc.array(fc.record({ text: frame, isLatin: fc.boolean(), end: fc.constantFrom("\n", "\r\n", "\n\n", "") }), { maxLength: 6 }),
    check: async (lines) => {
      bench ??= new Bench();
      for (const { text, isLatin, end } of lines) bench.write(Buffer.from(text + end, isLatin ? "latin1" : "utf8"));
      bench.write("\n");
      const { error, result } = await bench.ask("model/list", {});
      assert.ok(error !== undefined || result !== undefined, "no answer after odd frames");
      bench.healthy();
    },
    close: async () => bench?.close(),
  });
}
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>(-1, 1e308, "", "initialize", "turn/start", {}, [], null));

function params(): Target {
  let bench: Bench | undefined;
  const rows: Readonly<Record<string, unknown>> = { ...clientRequests, ...v1Requests };
  const methods = Object.entries(rows).filter((row): row is [string, Request] => typeof (row[1] as Request).params === "function");
  const input = fc.constantFrom(...methods).chain(([method, row]) => {
    const right = arbitraryOf(jsonSchema(row.params()) as Printed, {} as Printed);
    return fc.record({ method: fc.constant(method), params: fc.oneof(right, right.chain(nearly), hostile) });
  });
  return target({
    name: "params",
    input,
    check: async ({ method, params: given }) => {
      const row = methods.find(([name]) => name === method)?.[1];
      if (row === undefined || (acting.has(method) && problem(row.params(), given) === undefined)) return;
      if (bench === undefined) {
        bench = new Bench();
        await bench.hello();
      }
      const { error, result } = await bench.ask(method, given);
      if (error !== undefined)
        assert.ok(error.message.length > 0 && error.message.length < 3000, `a refusal of ${error.message.length} characters`);
      else assert.ok(result !== undefined, "neither a result nor an error");
      bench.healthy();
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    },
    close: async () => bench?.close(),
  });
}
export const hostile = fc.oneof(
  odd,
  fc.constantFrom<unknown>(
    ...[
      { __proto__: { polluted: 1 } },
      { constructor: { prototype: { polluted: 1 } } },
      { threadId: "../../../etc/passwd" },
      { threadId: "\0" },
    ],
    ...[
      { cwd: "/etc\0/passwd" },
      { threadId: "x".repeat(20_000) },
      { input: Array(2000).fill({ type: "text", text: "" }) },
      { path: "//host/share" },
    ],
    ...[
      { threadId: 5 },
      { limit: -1 },
      { limit: 1e300 },
      { cursor: "%%%" },
      { cursor: "x".repeat(9000) },
      JSON.parse('{"__proto__":{"polluted":1}}'),
    ],
  ),
);
/** One place of a value is made wrong. */
export function nearly(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== "object" || value === null) return odd;
  const names = Object.keys(value);
  const spoilt = fc.tuple(fc.constantFrom(...names, "__proto__", "more"), fc.oneof(odd, oddText));
  return spoilt.map(([name, wrong]) => (Array.isArray(value) ? [...value, wrong] : { ...value, [name]: wrong }));
}

export const serverTargets: readonly Target[] = [frames(), params()];
