/** Hostile responses of an MCP server's issuer during sign-in: none may exhaust memory, hang, or redirect us elsewhere. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { auth } from "@modelcontextprotocol/client";
import { createConfigStore } from "../config/load.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import { createMcpSignIn } from "./mcp-sign-in.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (body: unknown, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(typeof body === "string" ? body : JSON.stringify(body));
const redirect =
  (to: (request: IncomingMessage) => string): Answer =>
  (request, response) =>
    void response.writeHead(302, { location: to(request) }).end();

const scripted: ProviderConfig = {
  ...{ id: "scripted", name: "Scripted", baseUrl: "", wireApi: "scripted", envKey: undefined, bearerToken: undefined },
  ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 0, streamMaxRetries: 0 },
  ...{ streamIdleTimeoutMs: 1, requiresOpenaiAuth: false, options: {} },
};

describe("signing in to an MCP server whose issuer is hostile", () => {
  let home: string;
  let server: Server;
  let base: string;
  let sent = 0;
  /** By the last part of the path; anything not listed is answered correctly. */
  let answers: Readonly<Record<string, Answer>> = {};

  const metadata = (): Record<string, unknown> => ({
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  });
  const good: Readonly<Record<string, () => Answer>> = {
    "oauth-protected-resource": () => json({ resource: `${base}/mcp`, authorization_servers: [base] }),
    "oauth-authorization-server": () => json(metadata()),
    register: () => json({ client_id: "client-1", redirect_uris: ["http://127.0.0.1/callback"] }, 201),
    token: () => json({ access_token: "a", token_type: "Bearer" }),
  };
  const endless: Answer = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(64 * 1024, " ");
    const more = (): void => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
      sent += piece.length;
    };
    response.on("drain", more);
    more();
  };

  before(async () => {
    home = mkdtempSync(path.join(tmpdir(), "parley-hostile-oauth-"));
    server = createServer((request, response) => {
      const part = /(oauth-protected-resource|oauth-authorization-server|register|token)/.exec(request.url ?? "")?.[1] ?? "";
      const answer = answers[part] ?? good[part]?.() ?? json({}, 404);
      request.resume().on("end", () => answer(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    writeFileSync(path.join(home, "config.toml"), `mcp_oauth_credentials_store = "file"\n[mcp_servers.web]\nurl = "${base}/mcp"\n`);
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(home, { recursive: true, force: true });
  });

  function login(requestMs = 60_000) {
    const config = createConfigStore({ codexHome: home, env: {}, systemDir: path.join(home, "etc"), builtInProviders: { scripted } });
    const signIn = createMcpSignIn({ codexHome: home, config, requestMs });
    return { signIn, started: signIn.login({ threadId: undefined, config: config.effective(home), cwd: home }, "web", undefined) };
  }
  /** Returns the reason why the sign-in could not be started. */
  async function refused(hostile: typeof answers, requestMs?: number): Promise<string> {
    answers = hostile;
    const { signIn, started } = login(requestMs);
    try {
      const { url } = await started;
      return `began at ${url}`;
    } catch (error) {
      assert.match(String(error), /failed to sign in to MCP server 'web'|which is not a web page/);
      return String(error);
    } finally {
      signIn.close();
    }
  }
  /** Starts a sign-in normally, comes back with a code, and returns the error message for the user. */
  async function redeemed(hostile: typeof answers): Promise<string | undefined> {
    answers = hostile;
    const { signIn, started } = login();
    const { url, done } = await started;
    const asked = new URL(url).searchParams;
    await fetch(`${asked.get("redirect_uri")}?code=c&state=${asked.get("state")}`);
    const { error } = await done;
    signIn.close();
    return error;
  }

  for (const part of ["oauth-protected-resource", "oauth-authorization-server", "register"])
    it(`an endless response is rejected (${part})`, async () => {
      sent = 0;
      const outcome = await refused({ [part]: endless });
      // Without protected-resource metadata the server itself is asked, as in older versions of the specification.
      if (part !== "oauth-protected-resource") assert.doesNotMatch(outcome, /began/);
      assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken`);
    });

  it("a response that never arrives times out", async () => {
    assert.doesNotMatch(await refused({ "oauth-authorization-server": () => undefined }, 200), /began/);
  });

  it("redirects are never followed: in a loop, to another scheme, to the cloud's metadata address", async () => {
    let visits = 0;
    const counted = (to: string) =>
      redirect((request) => {
        visits++;
        return to === "itself" ? `${base}${request.url}` : to;
      });
    for (const to of ["itself", "file:///etc/passwd", "http://169.254.169.254/latest", "http://localhost:1/"])
      for (const part of ["oauth-authorization-server", "register"]) assert.doesNotMatch(await refused({ [part]: counted(to) }), /began/);
    assert.ok(visits < 40, `${visits} visits`);
  });

  it("metadata of another issuer is rejected", async () => {
    const other = { ...metadata(), issuer: "https://other.example" };
    assert.match(await refused({ "oauth-authorization-server": json(other) }), /issuer/i);
  });

  it("endpoints with other schemes, and the cloud's metadata address, are not requested", async () => {
    for (const endpoint of ["file:///etc/passwd", "javascript:alert(1)", "data:application/json,{}", "http://169.254.169.254/token"]) {
      const page = { ...metadata(), authorization_endpoint: endpoint };
      if (!endpoint.startsWith("http:")) assert.doesNotMatch(await refused({ "oauth-authorization-server": json(page) }), /began/);
      const registration = { ...metadata(), registration_endpoint: endpoint };
      assert.doesNotMatch(await refused({ "oauth-authorization-server": json(registration) }), /began/);
      const token = json({ ...metadata(), token_endpoint: endpoint });
      const began = await refused({ "oauth-authorization-server": token });
      if (began.startsWith("began")) assert.ok((await redeemed({ "oauth-authorization-server": token })) !== undefined);
    }
  });

  it("a server that names another issuer later does not get the first one's credentials", async () => {
    assert.equal(await redeemed({ token: json({ access_token: "a", token_type: "Bearer", refresh_token: "precious" }) }), undefined);
    const received: string[] = [];
    const other = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => received.push(text));
      const at = `http://127.0.0.1:${request.socket.localPort}`;
      const body = { ...metadata(), issuer: at, token_endpoint: `${at}/token`, registration_endpoint: undefined };
      request.on("end", () =>
        json(request.url?.includes("well-known") ? body : { access_token: "b", token_type: "Bearer" })(request, response),
      );
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const at = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    answers = { "oauth-protected-resource": json({ resource: `${base}/mcp`, authorization_servers: [at] }) };
    const config = createConfigStore({ codexHome: home, env: {}, systemDir: path.join(home, "etc"), builtInProviders: { scripted } });
    const web = config.effective(home).mcpServers["web"];
    assert.ok(web !== undefined);
    const provider = createMcpSignIn({ codexHome: home, config }).authFor(web);
    assert.ok(provider !== undefined);
    await assert.rejects(auth(provider, { serverUrl: `${base}/mcp` }));
    assert.doesNotMatch(received.join("\n"), /precious|client-1/);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  it("malformed JSON gives a readable error", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const odd = [
      "",
      "null",
      "[]",
      '"x"',
      "5",
      "{",
      deep,
      `{"issuer":${deep}}`,
      '{"issuer":5,"token_endpoint":{}}',
      '{"__proto__":{"issuer":"x"}}',
    ];
    for (const text of odd)
      for (const part of ["oauth-authorization-server", "register"]) assert.doesNotMatch(await refused({ [part]: json(text) }), /began/);
  });

  it("an invalid token, and an endless one, end the sign-in with a short message", async () => {
    const long = { error: "invalid_grant", error_description: "\u001b[2J<b>".repeat(100_000) };
    for (const answer of [
      json("null"),
      json({ access_token: 5 }),
      json({ access_token: ["a"], token_type: {} }),
      json(long, 400),
      endless,
    ]) {
      const error = await redeemed({ token: answer });
      assert.ok(error !== undefined && error.length <= 2_100, `${error?.length} characters`);
    }
  });
});
