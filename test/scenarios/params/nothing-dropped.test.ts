/** No param is accepted and ignored: each is read, refused, or reported in a warning. Checked for every param of every request, on the whole server. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, RpcError } from "../../../src/client/client.ts";
import { jsonSchema } from "../../../src/lib/schema.ts";
import { clientRequests } from "../../../src/protocol/methods.ts";
import { firstHandlers } from "../../../src/server/dispatch.ts";
import { handlers } from "../../../src/server/handlers.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

type Json = Readonly<Record<string, unknown>>;
type Handler = (params: Json, call: unknown) => unknown;

/** Records which members are read; enumerating them counts as reading each. */
const watched = (params: Json, read: Set<string>): Json =>
  new Proxy(params, {
    get(target, key, receiver) {
      if (typeof key === "string") read.add(key);
      return Reflect.get(target, key, receiver);
    },
  });

/** Params without an effect because the behaviour they ask for is always on. */
const holdsAnyway: Readonly<Record<string, string>> = {
  "app/list forceRefetch": "there are no apps",
  "app/list limit": "there are no apps",
  "app/list threadId": "there are no apps",
  "app/installed forceRefresh": "there are no apps",
  "app/installed threadId": "there are no apps",
  "app/read includeTools": "there are no apps",
  "app/read threadId": "there are no apps",
  "accountSession/list refreshWorkspaceMetadata": "there are no sessions",
  "remoteControl/disable ephemeral": "the relay is never enabled",
  "userVerification/cancel requestId": "nothing is ever verified",
  "mcpServer/event/stream/stop subscriptionId": "there are no such streams",
  "externalAgentConfig/detect migrationSource": "the one that is not read is refused before",
  "externalAgentConfig/detect source": "a label for statistics, which nobody collects here",
  "externalAgentConfig/import migrationSource": "the one that is not read is refused before",
  "externalAgentConfig/import source": "a label for statistics, which nobody collects here",
  "windowsSandbox/setupStart cwd": "the set-up always fails",
  "config/batchWrite reloadUserConfig": "settings are read anew after every write",
  "permissionProfile/list cwd": "the profiles are the same in every folder",
  "plugin/list forceRefetch": "the marketplaces are read anew for every list",
  "thread/list useStateDbOnly": "there is one index of threads",
  "thread/start mockExperimentalField": "it is there for clients to try the opt-in",
  "thread/fork deferGoalContinuation": "nothing goes on by itself",
  "turn/start turnTrigger": "a turn is the same whatever set it off",
};

/** Params that only matter during a running turn, command or server, and the test that covers them. */
const triedIn: Readonly<Record<string, string>> = {
  "command/exec/write processId": "test/scenarios/command/exec.test.ts",
  "command/exec/write closeStdin": "test/scenarios/command/exec.test.ts",
  "command/exec/resize size": "test/scenarios/command/exec.test.ts",
  "process/writeStdin processHandle": "test/scenarios/process/process.test.ts",
  "process/writeStdin closeStdin": "test/scenarios/process/process.test.ts",
  "process/resizePty size": "test/scenarios/process/process.test.ts",
  "marketplace/add sparsePaths": "test/scenarios/plugin/marketplace.test.ts",
  "thread/backgroundTerminals/terminate threadId": "test/scenarios/thread/threads.test.ts",
  "turn/steer input": "test/scenarios/turn/turn.test.ts",
  "turn/steer expectedTurnId": "test/scenarios/turn/turn.test.ts",
  "turn/steer additionalContext": "test/scenarios/thread/nothing-dropped.test.ts",
  "turn/steer responsesapiClientMetadata": "test/oracle/metadata-plays.test.ts",
  "turn/steer responsesapiClientMetadataPatch": "test/oracle/metadata-plays.test.ts",
  "turn/steer clientUserMessageId": "test/scenarios/turn/turn.test.ts",
  "turn/interrupt turnId": "test/scenarios/turn/turn.test.ts",
};

interface Place {
  readonly threadId: string;
  readonly turnId: string;
  readonly workspace: string;
}

/** A simple valid value; chosen by the param's name where the request needs a real one. */
function sample(schema: Json, name: string, place: Place): unknown {
  const own = byName(name, place);
  const takesObjects = [schema, schema["items"] as Json | undefined].some((part) => part?.["type"] === "object");
  if (own !== undefined && !(Array.isArray(own) && takesObjects)) return own;
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly Json[] | undefined;
  if (choices !== undefined) return sample(choices.find((choice) => choice["type"] !== "null") ?? {}, name, place);
  const parts = schema["allOf"] as readonly Json[] | undefined;
  if (parts !== undefined) return Object.assign({}, ...parts.map((part) => sample(part, name, place)));
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  if (schema["const"] !== undefined) return schema["const"];
  switch (schema["type"]) {
    case "string":
      return name === "command" ? "true" : "x";
    case "boolean":
      return true;
    case "integer":
    case "number":
      return Math.max(1, Number(schema["minimum"] ?? 1));
    case "array":
      return Array.isArray(schema["items"])
        ? schema["items"].map((item: Json) => sample(item, "", place))
        : [sample((schema["items"] ?? {}) as Json, name, place)];
    case "object":
      return objectSample(schema, place);
    default:
      return "x";
  }
}

function objectSample(schema: Json, place: Place): Json {
  const properties = (schema["properties"] ?? {}) as Record<string, Json>;
  if (typeof schema["additionalProperties"] === "object") return { x: sample(schema["additionalProperties"] as Json, "", place) };
  return Object.fromEntries(((schema["required"] ?? []) as string[]).map((key) => [key, sample(properties[key] ?? {}, key, place)]));
}

function byName(name: string, { threadId, turnId, workspace }: Place): unknown {
  const values: Json = {
    ...{ threadId, conversationId: threadId, turnId, expectedTurnId: turnId, beforeTurnId: turnId, lastTurnId: turnId },
    ...{ cwd: workspace, folder: workspace, path: path.join(workspace, "x"), cwds: [workspace], roots: [workspace] },
    ...{ sourcePath: path.join(workspace, "x"), destinationPath: path.join(workspace, "y"), dataBase64: "eA==" },
    savePath: path.join(workspace, "x.zip"),
  };
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

async function newPlace(client: Client, workspace: string): Promise<Place> {
  const thread = await client.startThread({ cwd: workspace });
  const { turnId } = await thread.run("hello");
  return { threadId: thread.id, turnId, workspace };
}

/** Calls a method with each optional param in turn, beside the required ones; returns those that were never read. */
async function untouched(client: Client, method: string, workspace: string): Promise<string[]> {
  const row = clientRequests[method as keyof typeof clientRequests];
  const schema = jsonSchema(row.params()) as unknown as Json;
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const required = (schema["required"] ?? []) as string[];
  const read = new Set<string>();
  const spoken = new Set<string>();
  let place: Place | undefined;
  const stop = client.on("warning", ({ message }) => void (/`(\w+)` has no effect here/.test(message) && spoken.add(RegExp.$1)));
  const table = (Object.hasOwn(firstHandlers, method) ? firstHandlers : handlers) as unknown as Record<string, Handler>;
  const original = table[method] ?? assert.fail(method);
  table[method] = (params, call) => original(watched(params, read), call);
  try {
    for (const [name] of properties) {
      if (read.has(name) || `${method} ${name}` in holdsAnyway || `${method} ${name}` in triedIn) continue;
      place = Object.hasOwn(schema["properties"] as object, "threadId") || place === undefined ? await newPlace(client, workspace) : place;
      const here = place;
      const given = properties.filter(([key]) => required.includes(key) || key === name);
      const params = Object.fromEntries(given.map(([key, of]) => [key, sample(of, key, here)]));
      await client.call(method as "thread/read", params as never, { timeoutMs: 60_000 }).catch((error: unknown) => {
        if (error instanceof RpcError && error.message.includes(name)) spoken.add(name);
      });
      await client.call("thread/loaded/list", {}); // warnings follow the response
    }
  } finally {
    table[method] = original;
    stop();
  }
  return properties.flatMap(([name]) => {
    const key = `${method} ${name}`;
    return read.has(name) || spoken.has(name) || key in holdsAnyway || key in triedIn ? [] : [key];
  });
}

async function tryAll({ app, workspace }: Stage): Promise<string[]> {
  const client = await app({ capabilities: { experimentalApi: true } });
  writeFileSync(path.join(workspace, "x"), "x");
  const dropped: string[] = [];
  for (const method of Object.keys(clientRequests))
    if (method !== "initialize") dropped.push(...(await untouched(client, method, workspace)));
  return dropped;
}

verifies("wire.nothingDropped", async (stage) => assert.deepEqual(await tryAll(stage), []), { legs: ["memory"] });

verifies(
  "wire.nothingDropped",
  async () => {
    for (const [key, file] of Object.entries(triedIn)) {
      const [method = "", name = ""] = key.split(" ");
      const text = readFileSync(path.resolve(import.meta.dirname, "../../..", file), "utf8");
      assert.ok(text.includes(method) && text.includes(name), `${file} does not try ${key}`);
    }
  },
  { legs: ["memory"] },
);
