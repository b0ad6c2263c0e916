/** Calls every client request of Codex 0.166 on the real program and on Parley, and writes docs/methods.md: `npm run methods`. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { jsonSchema } from "../src/lib/schema.ts";
import type { Request } from "../src/protocol/define.ts";
import { clientRequests } from "../src/protocol/methods.ts";
import { unsupportedGroups } from "../src/protocol/unsupported.ts";
import { v1Requests } from "../src/protocol/v1/methods.ts";
import { codexProgram } from "../test/oracle/codex-package.ts";
import { responsesFrames } from "../test/support/model-mocks/frames.ts";
import { MockProvider, stream } from "../test/support/model-mocks/server.ts";
import { known } from "./methods-known.ts";

type Json = Readonly<Record<string, unknown>>;
interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}
interface Place {
  readonly threadId: string;
  readonly turnId: string;
  readonly folder: string;
}
type Verdict = "same" | "thin" | "better" | "differs" | "refused";
interface Row {
  readonly method: string;
  readonly stable: boolean;
  readonly verdict: Verdict;
  readonly what: string;
}

const mostRefused = 12;

/** Methods of older versions, and the handshake itself. */
const isToday = (method: string): boolean =>
  method !== "initialize" && !Object.hasOwn(v1Requests, method) && !method.startsWith("skills/remote/");

function methods(): { readonly method: string; readonly stable: boolean }[] {
  const served = Object.entries(clientRequests).flatMap(([method, row]) =>
    isToday(method) && !("own" in row && row.own === true)
      ? [{ method, stable: !("experimental" in row && row.experimental !== undefined) }]
      : [],
  );
  const refused = unsupportedGroups.flatMap((group) => group.methods).filter(isToday);
  return [...served, ...refused.map((method) => ({ method, stable: /^(?:plugin|account)\//.test(method) && !/bedrock|gcp/.test(method) }))];
}

/** Params that no schema of ours describes, or where a call with real values says more. */
const overrides: Readonly<Record<string, (place: Place) => unknown>> = {
  "plugin/skill/read": () => ({ remoteMarketplaceName: "m", remotePluginId: "p", skillName: "s" }),
  "plugin/share/save": ({ folder }) => ({ pluginPath: folder }),
  "plugin/share/updateTargets": () => ({ remotePluginId: "p", discoverability: "PRIVATE", shareTargets: [] }),
  "plugin/share/checkout": () => ({ remotePluginId: "p" }),
  "plugin/share/delete": () => ({ remotePluginId: "p" }),
  "account/rateLimitResetCredit/consume": () => ({ idempotencyKey: "k" }),
  "account/sendAddCreditsNudgeEmail": () => ({ creditType: "credits" }),
  "account/login/start": () => ({ type: "apiKey", apiKey: "sk-test" }),
  "account/login/cancel": () => ({ loginId: "5efb2a58-742b-472c-b64c-4b9575687cf5" }),
  "account/bedrock/setup": () => ({ type: "environment", region: "us-west-2" }),
  "account/gcp/setup": () => ({ projectId: "p" }),
  "accountSession/switch": () => ({ accountId: "a", sessionId: "s" }),
  "remoteControl/pairing/status": () => ({ pairingCode: "x" }),
  "remoteControl/client/list": () => ({ environmentId: "e" }),
  "remoteControl/client/revoke": () => ({ environmentId: "e", clientId: "c" }),
  "userVerification/verify": () => ({ challenge: "AA", title: "t", description: "d" }),
  "mcpServer/event/stream/start": ({ threadId }) => ({ threadId, server: "s", name: "e", arguments: {}, subscriptionId: "s1" }),
  "thread/prediction/request": ({ threadId, turnId }) => ({ threadId, sourceTurnId: turnId }),
  "turn/settings/update": ({ threadId, turnId }) => ({ threadId, turnId, effort: "low" }),
  "environment/add": () => ({ environmentId: "e1", execServerUrl: "ws://127.0.0.1:9" }),
  "environment/info": () => ({ environmentId: "local" }),
  "environment/status": () => ({ environmentId: "local" }),
  "thread/realtime/start": ({ threadId }) => ({ threadId, outputModality: "text" }),
  "thread/realtime/appendAudio": ({ threadId }) => ({ threadId, audio: { data: "AA==", sampleRate: 24000, numChannels: 1 } }),
  "thread/realtime/appendText": ({ threadId }) => ({ threadId, text: "x" }),
  "thread/realtime/appendSpeech": ({ threadId }) => ({ threadId, text: "x" }),
  "thread/realtime/stop": ({ threadId }) => ({ threadId }),
  "process/spawn": ({ folder }) => ({ command: ["true"], cwd: folder, processHandle: "h" }),
  "command/exec": ({ folder }) => ({ command: ["true"], cwd: folder }),
  "project/create": ({ folder }) => ({ idempotencyKey: "k1", name: "P", roots: [{ path: folder }] }),
  "project/import": () => ({ idempotencyKey: "k2", name: "I", roots: [] }),
  "thread/section/move": ({ threadId }) => ({ threadId, sectionId: "01984de2-8f74-7c91-a3b2-5c5e937cf318" }),
  "thread/inject_items": ({ threadId }) => ({
    threadId,
    items: [{ type: "message", role: "user", content: [{ type: "input_text", text: "x" }] }],
  }),
  "skills/extraRoots/set": ({ folder }) => ({ extraRoots: [folder] }),
  "thread/approveGuardianDeniedAction": ({ threadId }) => ({ threadId, event: { id: "x" } }),
  "review/start": ({ threadId }) => ({ threadId, target: { type: "uncommittedChanges" } }),
  "thread/goal/set": ({ threadId }) => ({ threadId, objective: "reach it", status: "paused" }),
  "config/value/write": () => ({ keyPath: "model_verbosity", value: "low", mergeStrategy: "replace" }),
  "config/batchWrite": () => ({ edits: [{ keyPath: "model_verbosity", value: "low", mergeStrategy: "replace" }] }),
  "experimentalFeature/enablement/set": () => ({ enablement: {} }),
  "skills/config/write": () => ({ name: "none", enabled: true }),
  "feedback/upload": () => ({ classification: "bug", includeLogs: false }),
  "thread/metadata/update": ({ threadId }) => ({ threadId, gitInfo: { branch: "b" } }),
};

/** The required params with simple values. */
/** Answers of the model wait for it. */
let held = Promise.withResolvers<void>();
held.resolve();

function paramsOf(method: string, place: Place): unknown {
  const own = overrides[method];
  if (own !== undefined) return own(place);
  const rows: Readonly<Record<string, Request | undefined>> = clientRequests;
  const row = rows[method];
  return row === undefined ? {} : objectOf(jsonSchema(row.params()) as unknown as Json, place);
}
function objectOf(schema: Json, place: Place): Json {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Json>>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, name, place)]));
}
function sampleOf(schema: Json, name: string, place: Place): unknown {
  const { threadId, turnId, folder } = place;
  const file = path.join(folder, "file");
  const named: Json = {
    ...{ threadId, turnId, expectedTurnId: turnId, beforeTurnId: turnId, cwd: folder, path: file, roots: [folder] },
    ...{ sourcePath: file, destinationPath: path.join(folder, "copy"), dataBase64: "eA==", savePath: path.join(folder, "report.zip") },
  };
  if (Object.hasOwn(named, name)) return named[name];
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly Json[] | undefined;
  if (choices !== undefined) return sampleOf(choices.find((choice) => choice["type"] !== "null") ?? {}, "", place);
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  switch (schema["type"]) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return 1;
    case "array":
      return [sampleOf((schema["items"] ?? {}) as Json, "", place)];
    case "object":
      return objectOf(schema, place);
    default:
      return "x";
  }
}

/** One of the two servers, in a home of its own. */
class Side {
  readonly folder: string;
  readonly #child: ReturnType<typeof spawn>;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #ended = new Map<string, () => void>();
  #ids = 0;

  constructor(folder: string, provider: string, command: readonly [string, ...string[]]) {
    this.folder = path.join(folder, "work");
    const home = path.join(folder, "home");
    for (const each of [this.folder, home]) mkdirSync(each, { recursive: true });
    writeFileSync(path.join(this.folder, "file"), "x");
    const model = 'model = "mock-model"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n';
    const table = `[model_providers.mock]\nname = "mock"\nbase_url = "${provider}/v1"\nwire_api = "responses"\nsupports_websockets = false\n`;
    writeFileSync(path.join(home, "config.toml"), model + table);
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, CODEX_HOME: home, SHELL: "/bin/bash" };
    this.#child = spawn(command[0], command.slice(1), { cwd: this.folder, env, stdio: ["pipe", "pipe", "ignore"] });
    if (this.#child.stdout !== null) createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(JSON.parse(line)));
  }
  #take(
    message: Reply & { readonly id?: number; readonly method?: string; readonly params?: { readonly turn?: { readonly id: string } } },
  ): void {
    if (message.method === "turn/completed") this.#ended.get(message.params?.turn?.id ?? "")?.();
    else if (message.method === undefined && message.id !== undefined) this.#waiting.get(message.id)?.(message);
  }
  call(method: string, params: unknown): Promise<Reply> {
    const id = ++this.#ids;
    this.#child.stdin?.write(`${JSON.stringify({ id, method, params })}\n`);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve({ error: { code: 0, message: "no answer within 30 s" } }), 30_000);
      this.#waiting.set(id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
    });
  }
  /** A new thread with one turn. */
  async place(): Promise<Place> {
    const { thread } = (await this.call("thread/start", { cwd: this.folder })).result as { thread: { id: string } };
    const input = [{ type: "text", text: "hello", text_elements: [] }];
    const { turn } = (await this.call("turn/start", { threadId: thread.id, input })).result as { turn: { id: string } };
    await new Promise<void>((resolve) => {
      this.#ended.set(turn.id, resolve);
      setTimeout(resolve, 30_000).unref();
    });
    return { threadId: thread.id, turnId: turn.id, folder: this.folder };
  }
  async play(names: readonly string[]): Promise<Map<string, Reply>> {
    const capabilities = { experimentalApi: true, requestAttestation: false };
    await this.call("initialize", { clientInfo: { name: "methods", title: null, version: "1" }, capabilities });
    const replies = new Map<string, Reply>();
    let place = await this.place();
    for (const method of names) {
      // The turn that is steered and interrupted must still run then.
      if (method === "turn/start") held = Promise.withResolvers<void>();
      if (method === "thread/unarchive") await this.call("thread/archive", { threadId: place.threadId });
      replies.set(method, await this.call(method, paramsOf(method, place)));
      if (method === "turn/interrupt") held.resolve();
      if (/archive|delete|revert|compact|review|realtime/.test(method)) place = await this.place();
    }
    return replies;
  }
  end(): void {
    this.#child.kill();
  }
}

const ids = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** The dotted names of all fields that have a value. */
function fieldsOf(value: unknown, at = ""): Set<string> {
  if (Array.isArray(value)) return value.length === 0 ? new Set() : fieldsOf(value[0], `${at}[]`);
  if (typeof value !== "object" || value === null) return value === null ? new Set() : new Set([at]);
  const below = (name: string): string => [at, name.replace(ids, "<id>")].filter((part) => part !== "").join(".");
  return new Set(Object.entries(value).flatMap(([name, inner]) => [...fieldsOf(inner, below(name))]));
}

function compare(theirs: Reply, ours: Reply, sides: readonly [Side, Side]): { verdict: Verdict; what: string } {
  const plain = ({ error }: Reply, side: Side): string =>
    (error?.message ?? "").replaceAll(side.folder, "<folder>").replaceAll(ids, "<id>");
  const [their, our] = [plain(theirs, sides[0]), plain(ours, sides[1])];
  if (our.endsWith("is not supported by Parley"))
    return { verdict: "refused", what: theirs.error === undefined ? "Codex answers" : `Codex: ${their}` };
  if (theirs.error !== undefined && ours.error !== undefined)
    return theirs.error.code === ours.error.code && (our === their || our.startsWith(their))
      ? { verdict: "same", what: their }
      : { verdict: "differs", what: `Codex: ${theirs.error.code} ${their}; Parley: ${ours.error.code} ${our}` };
  if (theirs.error !== undefined) return { verdict: "better", what: `Codex: ${their}` };
  if (ours.error !== undefined) return { verdict: "differs", what: `Parley: ${our}` };
  const [has, lacks] = [fieldsOf(theirs.result), fieldsOf(ours.result)];
  const missing = [...has].filter((field) => !lacks.has(field));
  return missing.length === 0 ? { verdict: "same", what: "" } : { verdict: "thin", what: `without ${missing.slice(0, 6).join(", ")}` };
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 220);

function documentOf(rows: readonly Row[]): string {
  const counts = (stable: boolean): string =>
    (["same", "thin", "better", "differs", "refused"] as const)
      .map((verdict) => `${rows.filter((row) => row.stable === stable && row.verdict === verdict).length} ${verdict}`)
      .join(", ");
  const lines = rows.map(
    ({ method, stable, verdict, what }) =>
      `| ${stable ? "S" : "E"} | \`${method}\` | ${verdict} | ${cell(what)} | ${cell(known[method] ?? "")} |`,
  );
  return `# Every request of Codex 0.166, called on both servers

Made by \`npm run methods\`: the same params, fresh homes, a scripted provider. **same**: both answer with the same fields, or refuse with the same code and message; **thin**: fields that Codex fills are absent or empty; **better**: Codex refuses what Parley does; **differs**: a client can notice; **refused**: not served here. S is stable, E experimental.

Stable: ${counts(true)}. Experimental: ${counts(false)}.

| | method | verdict | seen | reason |
|---|---|---|---|---|
${lines.join("\n")}
`;
}

async function main(): Promise<number> {
  const codex = codexProgram("0.166.0");
  if ("skip" in codex) {
    console.error(codex.skip);
    return 2;
  }
  const root = mkdtempSync(path.join(tmpdir(), "parley-methods-"));
  await using model = new MockProvider(async (response, request) => {
    await held.promise;
    return await stream(responsesFrames({ text: "ok then" }))(response, request);
  });
  const provider = await model.listen();
  const main = path.resolve(import.meta.dirname, "../src/cli/main.ts");
  const sides = [
    new Side(path.join(root, "codex"), provider, [codex.program, "app-server"]),
    new Side(path.join(root, "parley"), provider, [process.execPath, main, "app-server"]),
  ] as const;
  try {
    const last = ["account/login/start", "account/logout"];
    const all = methods().toSorted((a, b) => last.indexOf(a.method) - last.indexOf(b.method));
    const theirs = await sides[0].play(all.map(({ method }) => method));
    const today = all.filter(({ method }) => theirs.get(method)?.error?.message.includes("unknown variant") !== true);
    const ours = await sides[1].play(today.map(({ method }) => method));
    const rows = today.map(
      ({ method, stable }): Row => ({ method, stable, ...compare(theirs.get(method) ?? {}, ours.get(method) ?? {}, sides) }),
    );
    writeFileSync("docs/methods.md", documentOf(rows));
    const unexplained = rows.filter((row) => row.stable && !["same", "better"].includes(row.verdict) && known[row.method] === undefined);
    const refused = rows.filter((row) => row.verdict === "refused");
    for (const row of unexplained) console.error(`${row.method} ${row.verdict} without a reason in scripts/methods-known.ts: ${row.what}`);
    if (refused.length > mostRefused) console.error(`${refused.length} methods are refused, and ${mostRefused} may be`);
    console.log(`${rows.length} methods in docs/methods.md`);
    return unexplained.length > 0 || refused.length > mostRefused ? 1 : 0;
  } finally {
    for (const side of sides) side.end();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

process.exitCode = await main();
