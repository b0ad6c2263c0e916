import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { Ajv } from "ajv";
import { clientRequests } from "../../protocol/methods.ts";
import { UsageError } from "../usage.ts";
import { surface } from "./generate/definitions.ts";
import { bundleFile, flatBundleFile, jsonSchemaFiles } from "./generate/json-schema.ts";
import { typescriptFiles } from "./generate/typescript.ts";
import { generateJsonSchema, generateTs, run } from "./generate.ts";

const folder = mkdtempSync(path.join(tmpdir(), "parley-generate-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the TypeScript compiles, and wire messages have their type", async () => {
  const root = path.resolve(import.meta.dirname, "../../..");
  const out = path.join(folder, "ts");
  await generateTs(out, { experimental: true });
  writeFileSync(
    path.join(out, "use.ts"),
    `import type { ClientRequest, ServerNotification, ServerNotificationEnvelope, v2 } from "./index";
export const request: ClientRequest = { method: "turn/start", id: 1, params: { threadId: "t", input: [{ type: "text", text: "hi" }] } };
export const textOf = (n: ServerNotification): string => (n.method === "item/agentMessage/delta" ? n.params.delta : n.method);
export const sentAt = (n: ServerNotificationEnvelope): number | undefined => (n.method === "turn/started" ? n.emittedAtMs : undefined);
export const item: Extract<v2.ThreadItem, { type: "plan" }> = { type: "plan", id: "1", text: "" };
// @ts-expect-error a turn has an input
export const wrong: ClientRequest = { method: "turn/start", id: 1, params: { threadId: "t" } };
`,
  );
  const options = { strict: true, noEmit: true, target: "es2022", module: "esnext", moduleResolution: "bundler", types: [] };
  writeFileSync(path.join(out, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["**/*.ts"] }));
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, "node_modules/.bin/tsc"), "-p", out], { encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("every JSON Schema file is self-contained and the bundle contains them all", async () => {
  const out = path.join(folder, "json");
  await generateJsonSchema(out, { experimental: true });
  const names = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  assert.ok(names.includes(path.join("v2", "TurnStartParams.json")) && names.includes(bundleFile) && names.includes("ClientRequest.json"));
  for (const name of names) {
    const text = readFileSync(path.join(out, name), "utf8");
    const json: unknown = JSON.parse(text);
    for (const [, ref = ""] of text.matchAll(/"\$ref": "#([^"]+)"/g)) assert.ok(at(json, ref) !== undefined, `${name}: ${ref}`);
  }
  const alone = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(path.join(out, "v2/TurnSteerParams.json"), "utf8")) as object);
  assert.equal(alone({ threadId: "t", expectedTurnId: "u", input: [{ type: "text", text: "hi" }] }), true);
  assert.equal(alone({ threadId: "t", expectedTurnId: "u", input: ["hi"] }), false);
  const bundle = JSON.parse(readFileSync(path.join(out, bundleFile), "utf8")) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false });
  ajv.addSchema(bundle, "all");
  const validate = ajv.getSchema("all#/definitions/v2/ThreadStartParams");
  assert.equal(validate?.({ sandbox: "read-only" }), true);
  assert.equal(validate?.({ sandbox: "nonsense" }), false);
  const own = ajv.getSchema("all#/x-parley/definitions/ServerRequest");
  const question = { prompt: "Where to?", toolCallId: "c", itemId: "c", threadId: "t", turnId: "u" };
  assert.equal(own?.({ method: "agent/requestUserInput", id: 1, params: question }), true);
});

test("files lie where code generators for Codex look for them", () => {
  const files = jsonSchemaFiles({ experimental: false });
  const expected = ["v1/InitializeParams.json", "CommandExecutionRequestApprovalParams.json", "ToolRequestUserInputResponse.json"];
  for (const name of [...expected, "JSONRPCMessage.json", "JSONRPCRequest.json", "JSONRPCNotification.json", "RequestId.json"])
    assert.ok(files.has(name), name);
  const ajv = new Ajv({ strict: false });
  const message = ajv.compile(JSON.parse(files.get("JSONRPCMessage.json") ?? "") as object);
  assert.equal(message({ id: "1", error: { code: -32600, message: "no" } }), true);
  assert.equal(message({ id: 1 }), false);
  ajv.addSchema(JSON.parse(files.get(flatBundleFile) ?? "") as object, "flat");
  const request = ajv.getSchema("flat#/definitions/ClientRequest");
  assert.equal(request?.({ id: 1, method: "thread/read", params: { threadId: "t" } }), true);
  assert.equal(request?.({ id: 1, method: "newConversation", params: {} }), false, "the older API is not in it");
  assert.ok(typescriptFiles({ experimental: true }).has("ServerNotificationEnvelope.ts"));
});

const at = (json: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], json);

test("without --experimental the gated methods and fields are left out", () => {
  const stable = surface({ experimental: false }).ClientRequest;
  const names = stable.map(({ method }) => method);
  assert.ok(names.includes("thread/start") && !names.includes("thread/search") && !names.includes("collaborationMode/list"));
  const start = stable.find(({ method }) => method === "thread/start")?.params?.properties ?? {};
  assert.ok("cwd" in start && !("dynamicTools" in start) && !("historyMode" in start));
  assert.ok(!typescriptFiles({ experimental: false }).has("v2/ThreadSearchParams.ts"));
  assert.ok(!jsonSchemaFiles({ experimental: false }).has("v2/ThreadSearchParams.json"));
  const all = surface({ experimental: true }).ClientRequest.find(({ method }) => method === "thread/start")?.params?.properties ?? {};
  assert.ok("dynamicTools" in all);
});

test("every method is listed once", () => {
  const names = surface({ experimental: true }).ClientRequest.map(({ method }) => method);
  assert.deepEqual(names.toSorted(), Object.keys(clientRequests).toSorted());
});

test("the error names what is missing on the command line", async () => {
  const out = path.join(folder, "cli");
  assert.equal(await run(["generate-ts", "--out", out]), 0);
  assert.ok(existsSync(path.join(out, "index.ts")));
  await assert.rejects(run(["generate-ts"]), new UsageError("the following required arguments were not provided: --out <DIR>"));
  await assert.rejects(run(["generate-ts", "--out", out, "more"]), UsageError);
  await assert.rejects(run(["generate-nonsense", "--out", out]), UsageError);
});
