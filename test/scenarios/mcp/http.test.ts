/** MCP servers over HTTP: headers, redirects, signing in and staying signed in. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { ProtectedMcp } from "../../support/protected-mcp.ts";
import { verifies } from "../../support/verifies.ts";

const web = (server: ProtectedMcp, more = ""): string =>
  `approval_policy = "never"\nmcp_oauth_credentials_store = "file"\n[mcp_servers.web]\nurl = "${server.url}"\n${more}\n`;
const asking = [{ call: "mcp__web__whoami", with: {} }, "{{output}}"];

async function replyOf(client: Client, threadId: string): Promise<string> {
  const ended = Promise.withResolvers<void>();
  let text = "";
  const stop = [
    client.on("item/completed", ({ item }) => {
      if (item.type === "agentMessage") text = item.text;
    }),
    client.on("turn/completed", () => ended.resolve()),
  ];
  await client.call("turn/start", { threadId, input: [{ type: "text", text: "go", text_elements: [] }] });
  await ended.promise;
  for (const end of stop) end();
  return text;
}

verifies("mcp.http", async ({ app, workspace }) => {
  await using server = await new ProtectedMcp().start();
  const client = await app({ turns: [asking], config: web(server, 'http_headers = { "x-team" = "fruit" }') });
  const { thread } = await client.call("thread/start", { cwd: workspace });
  assert.equal(await replyOf(client, thread.id), "you are signed in");
  assert.ok(server.headers.every((headers) => headers["x-team"] === "fruit"));
  const { data } = await client.call("mcpServerStatus/list", { threadId: thread.id });
  assert.deepEqual([data[0]?.runtimeStatus, data[0]?.authStatus], ["connected", "unsupported"]);
});

verifies("mcp.redirect", async ({ app, workspace }) => {
  await using other = await new ProtectedMcp().start();
  await using server = await new ProtectedMcp({ redirectTo: other.url }).start();
  const client = await app({ turns: [["Hello."]], config: web(server, 'http_headers = { "x-secret" = "s3cret" }') });
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const { thread } = await client.call("thread/start", { cwd: workspace });
  assert.equal(await replyOf(client, thread.id), "Hello.");
  assert.match(warnings.join(), /redirects to http:\/\/127/);
  assert.deepEqual(other.headers, [], "no header of the user went anywhere else");
});

verifies("mcp.login", async ({ app, workspace, home }) => {
  await using server = await new ProtectedMcp({ signIn: true }).start();
  const client = await app({ turns: [["Not yet."], asking, asking], config: web(server) });
  const { thread } = await client.call("thread/start", { cwd: workspace });
  const failures: unknown[] = [];
  client.on("mcpServer/startupStatus/updated", ({ failureReason }) => failureReason && failures.push(failureReason));
  assert.equal(await replyOf(client, thread.id), "Not yet.");
  assert.deepEqual(failures, ["reauthenticationRequired"]);
  const before = await client.call("mcpServerStatus/list", {});
  assert.deepEqual([before.data[0]?.runtimeStatus, before.data[0]?.authStatus], ["authenticationRequired", "notLoggedIn"]);

  const completed = Promise.withResolvers<unknown>();
  client.on("mcpServer/oauthLogin/completed", ({ name, success, error }) => completed.resolve({ name, success, error }));
  const { authorizationUrl } = await client.call("mcpServer/oauth/login", { name: "web" });
  assert.equal(await server.visit(authorizationUrl), 200);
  assert.deepEqual(await completed.promise, { name: "web", success: true, error: null });
  assert.equal(await replyOf(client, thread.id), "you are signed in", "the thread that could not use it can now");
  assert.equal((await client.call("mcpServerStatus/list", {})).data[0]?.authStatus, "oAuth");
  assert.equal(statSync(path.join(home, "parley", "mcp-credentials.json")).mode & 0o777, 0o600);

  server.expire();
  assert.equal(await replyOf(client, thread.id), "you are signed in");
  assert.equal(server.grants.at(-1), "refresh_token", "renewed without a person");
});

for (const page of ["javascript:alert(1)", "file:///etc/passwd", "http://127.0.0.1:1/$(touch x)`id`"])
  verifies("mcp.loginAddress", async ({ app }) => {
    await using server = await new ProtectedMcp({ signIn: true, authorizePage: page }).start();
    const client = await app({ config: web(server) });
    const outcome = await client.call("mcpServer/oauth/login", { name: "web" }).then(
      ({ authorizationUrl }) => authorizationUrl,
      () => "refused",
    );
    if (page.startsWith("http:")) assert.doesNotMatch(outcome, /[`\s"'<>|;]/);
    else assert.equal(outcome, "refused");
  });

verifies("trust.mcpPrivate", async ({ app }) => {
  // The test's stand-in for a public server is on this machine, so only addresses refused to every server are tried here; the rest is in src/lib/inward.test.ts.
  await using server = await new ProtectedMcp({ signIn: true, authority: "http://169.254.169.254/latest" }).start();
  const client = await app({ config: web(server) });
  await assert.rejects(client.call("mcpServer/oauth/login", { name: "web" }), /169\.254\.169\.254, an address inside this network/);
});
