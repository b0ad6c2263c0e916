/** A session with planted secrets: searches everything it wrote and sent for them. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LiveServer, verifiesLive } from "./support/live-server.ts";
import { MockProvider } from "./support/model-mocks/server.ts";
import { scratch } from "./support/process.ts";

/** Where each secret is stored; its text must be nowhere else. */
const secrets = {
  modelKey: "planted-model-key-5f2b9c7710",
  storedKey: "sk-planted-stored-77aa31cc90ee",
  header: "planted-header-value-2281fe6b",
  mcpToken: "planted-mcp-token-90d13e44ab",
  mcpEnv: "planted-mcp-env-1c6f3302bd",
  shellToken: "planted-shell-token-aa8d21f0",
} as const;

const sse = (events: readonly object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const call = (id: string, cmd: string): object => ({
  type: "response.output_item.done",
  item: { type: "function_call", id: `fc_${id}`, call_id: id, name: "exec_command", arguments: JSON.stringify({ cmd }) },
});

verifiesLive("trust.plantedSecrets", async (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  const workspace = path.join(folder, "workspace");
  mkdirSync(home);
  mkdirSync(workspace);
  // The first answer runs commands that look for keys; every other one is an error that repeats the key, as careless gateways do.
  let isFirst = true;
  await using provider = new MockProvider((response, { headers, path: where }) => {
    if (isFirst && where.endsWith("/responses")) {
      isFirst = false;
      const commands = ["env", `cat '${home}/auth.json'`, "cat /proc/self/environ"].map((cmd, i) => call(`c${i}`, cmd));
      const over = { type: "response.completed", response: { id: "r1" } };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(sse([{ type: "response.created", response: { id: "r1" } }, ...commands, over]));
      return;
    }
    const message = `Incorrect key ${headers.authorization} with ${String(headers["x-team"])}`;
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, code: "invalid_api_key" } }));
  });
  const url = await provider.listen();
  writeFileSync(
    path.join(home, "config.toml"),
    `model = "some-model"
model_provider = "planted"
[model_providers.planted]
name = "Planted"
base_url = "${url}/v1"
env_key = "PLANTED_MODEL_KEY"
wire_api = "responses"
request_max_retries = 0
http_headers = { x-team = "${secrets.header}" }
[mcp_servers.broken]
command = "sh"
args = ["-c", "echo $PLANTED_MCP >&2; exit 3"]
env = { PLANTED_MCP = "${secrets.mcpEnv}" }
[mcp_servers.remote]
url = "${url}/mcp"
bearer_token_env_var = "PLANTED_MCP_TOKEN"
`,
  );
  writeFileSync(path.join(home, "auth.json"), JSON.stringify({ OPENAI_API_KEY: secrets.storedKey }));
  chmodSync(path.join(home, "auth.json"), 0o600);
  const env = {
    PLANTED_MODEL_KEY: secrets.modelKey,
    PLANTED_MCP_TOKEN: secrets.mcpToken,
    DEPLOY_TOKEN: secrets.shellToken,
    PARLEY_LOG: "trace",
  };
  const server = await LiveServer.start(t, folder, { env, flags: ["--log-level", "debug"] });
  const threadId = await server.startThread({ cwd: workspace, sandbox: "workspace-write", approvalPolicy: "never" });
  const turn = await server.turn(threadId, "look for keys");
  assert.equal(turn.status, "failed");
  assert.ok(provider.requests.filter(({ path: where }) => where.endsWith("/responses")).length >= 2, "the refusal was not reached");
  assert.equal(
    provider.requests.find(({ path: where }) => where.endsWith("/responses"))?.headers.authorization,
    `Bearer ${secrets.modelKey}`,
  );
  await server.call("config/read", { includeLayers: false });
  await server.call("mcpServerStatus/list", {});
  await server.call("account/read", {});
  const sent = server.messages.map((message) => JSON.stringify(message)).join("\n");
  await server.stop();

  const places: [string, string][] = [
    ["the wire", sent],
    ["stderr", server.stderr],
  ];
  for (const file of filesUnder(home))
    if (!["config.toml", "auth.json"].includes(path.basename(file))) places.push([path.relative(home, file), readFileSync(file, "latin1")]);
  assert.ok(
    places.some(([name]) => name.endsWith(".jsonl")) && places.some(([name]) => name.includes("log")),
    "a thread file and a log were searched",
  );
  // The settings are the user's own text; clients may read them over the wire.
  const isOwnSetting = (place: string, name: string): boolean => place === "the wire" && (name === "header" || name === "mcpEnv");
  const found = Object.entries(secrets).flatMap(([name, secret]) =>
    places
      .filter(([place, text]) => text.includes(secret) && !isOwnSetting(place, name))
      .map(([place, text]) => `${name} in ${place}: …${text.slice(Math.max(0, text.indexOf(secret) - 120), text.indexOf(secret) + 60)}`),
  );
  assert.deepEqual(found, []);
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat?.isDirectory() === true ? filesUnder(file) : stat?.isFile() === true ? [file] : [];
  });
}
