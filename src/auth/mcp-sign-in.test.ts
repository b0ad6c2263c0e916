import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { auth } from "@modelcontextprotocol/client";
import { createConfigStore } from "../config/load.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import { createMcpSignIn } from "./mcp-sign-in.ts";

/** An MCP server that requires a sign-in, and its issuer, at one address. */
class ProtectedServer {
  readonly server: Server;
  url = "";
  readonly registered: { redirect_uris: string[] }[] = [];
  readonly grants: string[] = [];
  challenge = "";
  /** Every request must have it as a header. */
  gateway: string | undefined;
  /** Whether the server says for itself what it is and who signs in to it. */
  describesItself = true;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (this.gateway !== undefined && request.headers["x-gateway"] !== this.gateway) {
          response.writeHead(403).end();
          return;
        }
        const { status, body } = this.#answer(request.url ?? "", Buffer.concat(chunks).toString());
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      });
    });
  }
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    assert.ok(typeof address === "object" && address !== null);
    this.url = `http://127.0.0.1:${address.port}`;
  }
  #answer(url: string, text: string): { status: number; body: unknown } {
    const { url: base } = this;
    if (url.startsWith("/.well-known/oauth-protected-resource") && !this.describesItself) return { status: 404, body: {} };
    if (url.startsWith("/.well-known/oauth-protected-resource"))
      return { status: 200, body: { resource: `${base}/mcp`, authorization_servers: [base] } };
    if (url.startsWith("/.well-known/oauth-authorization-server"))
      return {
        status: 200,
        body: {
          ...{
            issuer: base,
            authorization_endpoint: `${base}/authorize`,
            token_endpoint: `${base}/token`,
            registration_endpoint: `${base}/register`,
          },
          ...{
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["none"],
          },
        },
      };
    if (url === "/register") {
      const wanted = JSON.parse(text);
      this.registered.push(wanted);
      return { status: 201, body: { ...wanted, client_id: `client-${this.registered.length}` } };
    }
    if (url !== "/token") return { status: 404, body: {} };
    const form = new URLSearchParams(text);
    this.grants.push(form.get("grant_type") ?? "");
    if (form.get("grant_type") === "refresh_token")
      return { status: 200, body: { access_token: "second", token_type: "Bearer", refresh_token: "r2", expires_in: 60 } };
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (form.get("code") !== "good" || proof !== this.challenge)
      return { status: 400, body: { error: "invalid_grant", error_description: "wrong code" } };
    return { status: 200, body: { access_token: "first", token_type: "Bearer", refresh_token: "r1", expires_in: 60 } };
  }
}

const scripted: ProviderConfig = {
  ...{ id: "scripted", name: "Scripted", baseUrl: "", wireApi: "scripted", envKey: undefined, bearerToken: undefined },
  ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 0, streamMaxRetries: 0 },
  ...{ streamIdleTimeoutMs: 1, requiresOpenaiAuth: false, options: {} },
};

let home: string;
let issuer: ProtectedServer;
describe("mcp sign in", () => {
  beforeEach(async () => {
    home = mkdtempSync(path.join(tmpdir(), "parley-mcp-auth-"));
    issuer = new ProtectedServer();
    await issuer.start();
    settings("file");
  });
  afterEach(async () => {
    await new Promise((resolve) => issuer.server.close(resolve));
    rmSync(home, { recursive: true, force: true });
  });

  function settings(store: string, more = ""): void {
    writeFileSync(
      path.join(home, "config.toml"),
      `mcp_oauth_credentials_store = "${store}"\n[mcp_servers.web]\nurl = "${issuer.url}/mcp"\nscopes = ["read"]\n${more}[mcp_servers.local]\ncommand = "x"\n`,
    );
  }
  function open(openKeyring?: Parameters<typeof createMcpSignIn>[0]["openKeyring"]) {
    const config = createConfigStore({ codexHome: home, env: {}, systemDir: path.join(home, "etc"), builtInProviders: { scripted } });
    const signIn = createMcpSignIn({ codexHome: home, config, ...(openKeyring === undefined ? {} : { openKeyring }) });
    const scope = { threadId: undefined, config: config.effective(home), cwd: home };
    const web = scope.config.mcpServers["web"];
    assert.ok(web !== undefined);
    return { signIn, scope, web };
  }
  async function visit(url: string, code: string): Promise<Response> {
    const asked = new URL(url).searchParams;
    issuer.challenge = asked.get("code_challenge") ?? "";
    return fetch(`${asked.get("redirect_uri")}?code=${code}&state=${asked.get("state")}`);
  }

  describe("signing in to an MCP server", () => {
    it("registers, starts the browser flow with PKCE, and stores the tokens for their owner only", async () => {
      const { signIn, scope, web } = open();
      assert.deepEqual([signIn.authStatus(web), signIn.authFor(web)], ["notLoggedIn", undefined]);
      const { url, done } = await signIn.login(scope, "web", undefined);
      const asked = new URL(url).searchParams;
      assert.deepEqual([asked.get("client_id"), asked.get("scope"), asked.get("code_challenge_method")], ["client-1", "read", "S256"]);
      assert.deepEqual(issuer.registered[0]?.redirect_uris, [asked.get("redirect_uri")]);
      assert.equal((await visit(url, "good")).status, 200);
      assert.deepEqual(await done, { error: undefined });
      assert.equal(signIn.authStatus(web), "oAuth");
      const file = path.join(home, "parley", "mcp-credentials.json");
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal((await signIn.authFor(web)?.tokens())?.access_token, "first");
      assert.equal(await signIn.logout(web), true);
      assert.equal(signIn.authStatus(web), "notLoggedIn");
      assert.ok(!readFileSync(file, "utf8").includes("first"));
    });

    it("requests the resource named in the settings", async () => {
      settings("file", 'oauth_resource = "https://resource.example/mcp"\n');
      const { signIn, scope } = open();
      const { url } = await signIn.login(scope, "web", undefined);
      assert.equal(new URL(url).searchParams.get("resource"), "https://resource.example/mcp");
      signIn.close();
    });

    it("requests a token for the server's own address where nothing names another resource", async () => {
      issuer.describesItself = false;
      const { signIn, scope } = open();
      const { url } = await signIn.login(scope, "web", undefined);
      assert.equal(new URL(url).searchParams.get("resource"), `${issuer.url}/mcp`);
      signIn.close();
    });

    it("sends a gateway the headers of the settings and of their helper, and names a helper that fails", async () => {
      issuer.gateway = "let-me-in";
      settings("file", `http_headers_helper = "printf '{\\"X-Gateway\\":\\"let-me-in\\"}'"\n`);
      const { signIn, scope } = open();
      const { url, done } = await signIn.login(scope, "web", undefined);
      await visit(url, "good");
      assert.deepEqual(await done, { error: undefined });
      for (const [helper, why] of [
        ["exit 3", /http_headers_helper ended with exit code 3/],
        ["echo secret-not-json", /http_headers_helper printed no JSON object/],
        [`echo '{\\"a b\\":\\"x\\"}'`, /a name that no header can have/],
      ] as const) {
        settings("file", `http_headers_helper = "${helper}"\n`);
        const again = open();
        const refused = await again.signIn.login(again.scope, "web", undefined).catch((error: Error) => error.message);
        assert.match(String(refused), why);
        assert.doesNotMatch(String(refused), /secret/);
      }
    });

    it("uses the client and redirect address of the settings, for signing in and for renewing", async () => {
      const named = '[mcp_servers.web.oauth]\nclient_id = "mine"\nclient_secret = "s"\ncallback_url = "http://localhost/back/1"\n';
      settings("file", named);
      const { signIn, scope, web } = open();
      const { url, done } = await signIn.login(scope, "web", undefined);
      const asked = new URL(url).searchParams;
      assert.deepEqual([asked.get("client_id"), issuer.registered], ["mine", []]);
      assert.match(asked.get("redirect_uri") ?? "", /^http:\/\/localhost:\d+\/back\/1$/);
      assert.equal((await visit(url.replace("localhost", "127.0.0.1"), "good")).status, 200);
      assert.deepEqual(await done, { error: undefined });
      assert.deepEqual(await signIn.authFor(web)?.clientInformation(), { client_id: "mine", client_secret: "s" });
      settings("file", named.replace("localhost", "example.invalid"));
      assert.throws(() => open(), /callback_url: .* is no address of this machine/);
    });

    it("renews tokens later without a person, and reports when that is not possible", async () => {
      const { signIn, scope, web } = open();
      const { url, done } = await signIn.login(scope, "web", ["write"]);
      await visit(url, "good");
      await done;
      const provider = signIn.authFor(web);
      assert.ok(provider !== undefined);
      assert.equal(await auth(provider, { serverUrl: `${issuer.url}/mcp` }), "AUTHORIZED");
      assert.deepEqual([issuer.grants.at(-1), (await provider.tokens())?.access_token], ["refresh_token", "second"]);
      await provider.invalidateCredentials?.("tokens");
      await assert.rejects(auth(provider, { serverUrl: `${issuer.url}/mcp` }), /unauthorized: sign in to MCP server 'web' again/);
    });

    it("does not send tokens to another address under the same name", async () => {
      const { signIn, scope, web } = open();
      const { url, done } = await signIn.login(scope, "web", undefined);
      await visit(url, "good");
      await done;
      const moved = { ...web, transport: { ...web.transport, url: "http://127.0.0.1:9/mcp" } } as typeof web;
      assert.deepEqual([signIn.authFor(moved), signIn.authStatus(moved)], [undefined, "notLoggedIn"]);
    });

    it("reports why it failed", async () => {
      const { signIn, scope } = open();
      const { url, done } = await signIn.login(scope, "web", undefined);
      assert.equal((await visit(url, "forged")).status, 400);
      assert.match((await done).error ?? "", /wrong code/);
      await assert.rejects(signIn.login(scope, "nope", undefined), /No MCP server named 'nope' found\./);
      await assert.rejects(signIn.login(scope, "local", undefined), /only supported for streamable HTTP servers/);
    });

    it("stores only a pointer in the file if there is a keyring", async () => {
      settings("auto");
      const secrets = new Map<string, string>();
      const keyring = async (service: string, account: string) => ({
        get: async () => secrets.get(`${service}/${account}`),
        set: async (secret: string) => void secrets.set(`${service}/${account}`, secret),
        remove: async () => secrets.delete(`${service}/${account}`),
      });
      const { signIn, scope, web } = open(keyring);
      const { url, done } = await signIn.login(scope, "web", undefined);
      await visit(url, "good");
      await done;
      assert.ok(!readFileSync(path.join(home, "parley", "mcp-credentials.json"), "utf8").includes("first"));
      assert.equal((await signIn.authFor(web)?.tokens())?.access_token, "first");
      await signIn.logout(web);
      assert.equal(secrets.size, 0);
    });
  });
});
