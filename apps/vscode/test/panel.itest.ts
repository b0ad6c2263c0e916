/** The extension's panel in a browser, over the extension's own backend and a real server: the editor's part is played by this file. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { buildPanel } from "../../../scripts/build-vscode.ts";
import { openClient } from "../../../src/client/client.ts";
import { errorMessage } from "../../../src/lib/error-text.ts";
import { parse } from "../../../src/lib/schema.ts";
import { market, plainPlugin, under } from "../../../test/scenarios/plugin/stage.ts";
import { chatFrames } from "../../../test/support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../../test/support/model-mocks/server.ts";
import { type Server, startServer } from "../../../test/support/server.ts";
import { checkAccessibility, patienceMs, picture } from "../../../test/web/page.ts";
import { composer, idle, send } from "../../../test/web/stage.ts";
import { Refused } from "../../web/src/connection/connection.ts";
import { launch } from "../../web/test/browser.ts";
import { Backend } from "../src/host/backend.ts";
import { Memory } from "../src/host/memory.ts";
import { type CallName, calls, type HostMessage } from "../src/host/port.ts";
import { restrictedPage } from "../src/host/restricted-page.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };
const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Parley</title><link rel="stylesheet" href="panel.css"></head>
<body><div id="root" data-panel="view"></div><script>
globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => void globalThis.toEditor(message) });
</script><script type="module" src="panel.js"></script></body></html>`;
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };

describe("the extension's panel", skip, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-panel-"));
  const project = path.join(folder, "project");
  const mock = new MockProvider(stream(chatFrames({ text: "At your service" })));
  let server: Server;
  let files: http.Server;
  let backend: Backend;
  let browser: Browser;
  let page: Page;

  before(async () => {
    mkdirSync(project);
    const table = `[model_providers.house]\nname = "House"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "chat"\nenv_key = "HOUSE_KEY"\noptions = { models = ["house-model"] }\n[parley.prices.house-model]\ninput = 1000000\noutput = 1000000\n[parley.auth]\nissuer = "http://127.0.0.1:9"\ncallback_port = 0\n`;
    writeFileSync(path.join(folder, "config.toml"), table);
    const hooks = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };
    writeFileSync(path.join(folder, "hooks.json"), JSON.stringify(hooks));
    market(path.join(folder, "mk"), [{ name: "demo", source: "./demo" }], under("demo", plainPlugin()));
    const built = path.join(folder, "panel");
    await buildPanel(built);
    writeFileSync(path.join(built, "index.html"), html);
    files = http.createServer((request, response) => {
      const file = path.join(built, path.normalize(request.url === "/" ? "/index.html" : (request.url ?? "")));
      if (!existsSync(file)) return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": types[path.extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
    });
    await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
    server = await startServer({ home: folder, workspace: project, systemDir: path.join(folder, "etc") });
    backend = new Backend({
      open: async (options) => openClient(await server.connect(), { clientInfo: { name: "parley_vscode", version: "1" }, ...options }),
      isOwn: () => true,
      editor: { openFile: async () => "", selection: async () => "", diagnostics: async () => "", renameSymbol: async () => "" },
      folder: () => project,
      folders: () => [project],
      offersTools: () => false,
      memory: new Memory(path.join(folder, "memory"), assert.fail),
      log: () => {},
      now: Date.now,
    });
    browser = (await launch()) ?? assert.fail("a browser");
    page = await browser.newPage({ viewport: { width: 375, height: 800 }, reducedMotion: "reduce" });
    page.setDefaultTimeout(patienceMs);
    await page.exposeFunction("toEditor", receive);
    backend.listen({ event: (event) => void post({ type: "events", events: [event] }) });
    await page.goto(`http://127.0.0.1:${(files.address() as AddressInfo).port}/`);
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  });
  after(async () => {
    await browser.close();
    backend.link.stop();
    await server.stop();
    files.closeAllConnections();
    files.close();
    await mock[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (message: HostMessage): Promise<unknown> =>
    page.evaluate(`postMessage(${JSON.stringify(message)}, "*")`).catch(() => undefined); // the page may be gone at the end

  async function receive(message: { type: string; id: string; name: string; params: unknown }): Promise<void> {
    if (message.type === "listening") {
      await backend.link.start();
      await post({ type: "link", link: "online" });
    }
    if (message.type !== "call") return;
    const { id } = message;
    const name = message.name as CallName;
    const params = parse(calls[name], message.params) ?? assert.fail(`${name} does not fit its schema`);
    await backend.call(name, params as never).then(
      (result) => post({ type: "answer", id, result }),
      (error: unknown) => {
        const { status, code } = error instanceof Refused ? error : { status: 500, code: "bug" };
        return post({ type: "refused", id, status, code, message: errorMessage(error) });
      },
    );
  }

  test("says that no model is set up, and its button leads to where one is", async () => {
    await page.getByText("No model is set up yet").waitFor();
    await picture(page, "panel-no-model");
    await page.getByRole("button", { name: "Set up a model" }).click();
    const form = page.getByRole("region", { name: "Set up a model" });
    await form.getByRole("button", { name: /^Provider/ }).click();
    await page.getByRole("option", { name: /^House/ }).click();
    await form.getByLabel("House API key").fill("house-key");
    await page.keyboard.press("Enter");
    await page.getByText("It works and is kept. New sessions use house-model.").waitFor();
    await page.getByText("No model is set up yet").waitFor({ state: "detached" });
    assert.equal(await page.getByRole("button", { name: "Sign out", exact: true }).count(), 0, "nobody signed in to the panel");
  });

  test("shows hooks and plugins, and takes a person's word on them", async () => {
    const tabs = page.getByRole("navigation", { name: "Settings" });
    assert.deepEqual(await tabs.getByRole("button").allTextContents(), [
      "Model and account",
      "Cost",
      "MCP servers",
      "Hooks",
      "Plugins",
      "Approval rules",
    ]);
    await tabs.getByRole("button", { name: "Hooks" }).click();
    await page.getByRole("button", { name: /^Trust / }).click();
    await page.getByText("trusted", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Switch off/ }).click();
    await page.getByText("switched off", { exact: true }).waitFor();
    await tabs.getByRole("button", { name: "Plugins" }).click();
    await page.getByLabel("Folder, owner/repository or git address").fill(path.join(folder, "mk"));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Install Demo Plug" }).click();
    await page.getByRole("dialog").getByText("demo:greet").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Install" }).click();
    await page.getByText("in use", { exact: true }).waitFor();
    await picture(page, "panel-plugins");
    await page.getByRole("button", { name: "Switch off Demo Plug" }).click();
    await page.getByText("switched off", { exact: true }).waitFor();
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the panel");
  });

  test("lists the rules that allow commands, and removes them", async () => {
    const rules = path.join(folder, "rules/default.rules");
    mkdirSync(path.dirname(rules), { recursive: true });
    writeFileSync(rules, 'prefix_rule(pattern=["npm", "test"], decision="allow")\n');
    await page.getByRole("navigation", { name: "Settings" }).getByRole("button", { name: "Approval rules" }).click();
    await page.getByText("npm test").waitFor();
    await picture(page, "panel-rules");
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByText("No rules yet.").waitFor();
    assert.equal(readFileSync(rules, "utf8"), "");
  });

  test("signs in with a ChatGPT account, and says why when that fails", async () => {
    await page.getByRole("navigation", { name: "Settings" }).getByRole("button", { name: "Model and account" }).click();
    const box = page.getByRole("region", { name: "ChatGPT account" });
    const open = async (): Promise<URL> => {
      await box.getByRole("button", { name: "Sign in with ChatGPT" }).click();
      const link = box.getByRole("link", { name: "Open the sign-in page" });
      return new URL((await link.getAttribute("href")) ?? assert.fail("an address"));
    };
    await open();
    await checkAccessibility(page, "a sign-in that waits");
    await box.getByRole("button", { name: "Cancel the sign-in" }).click();
    const { searchParams } = await open();
    const back = new URL(searchParams.get("redirect_uri") ?? assert.fail("where the browser returns to"));
    back.search = new URLSearchParams({ error: "access_denied", state: searchParams.get("state") ?? "" }).toString();
    await fetch(back);
    await box.getByText(/^Not signed in: .*access_denied/).waitFor();
  });

  test("says in words that a folder in restricted mode has no agent, with the way to trust it", async () => {
    const other = await browser.newPage();
    await other.setContent(restrictedPage);
    await other.getByText("This folder is in Restricted Mode.").waitFor();
    const link = other.getByRole("link", { name: "Manage Workspace Trust" });
    assert.equal(await link.getAttribute("href"), "command:workbench.trust.manage");
    await checkAccessibility(other, "restricted mode");
    await other.close();
  });

  test("sends what the person looks at along, shows it, and leaves it out when they say so", async () => {
    await post({ type: "go", place: { name: "home" }, focus: false });
    await post({
      type: "looking",
      seen: { file: "src/a.ts", selection: { firstLine: 3, lastLine: 4, text: "const x = 1;" }, problems: ["line 3, error: no y"] },
    });
    await page.getByText("src/a.ts:3-4 · 1 problem").waitFor();
    await page
      .getByRole("button", { name: /^Model/ })
      .getByText("house-model")
      .waitFor();
    await picture(page, "panel-looked-at");
    await checkAccessibility(page, "what goes along with a message");
    const asked = (): string => JSON.stringify(mock.requests.at(-1)?.body["messages"]);
    await send(page, "what is this?");
    await page.getByText("At your service").waitFor();
    await idle(page);
    await page.getByRole("img", { name: /^This session has cost about \$[1-9]/ }).waitFor();
    assert.match(asked(), /what is this\?.*Selected in my editor, src\/a\.ts:3-4:.*const x = 1;.*line 3, error: no y/);
    await post({ type: "looking", seen: { file: "src/b.ts", selection: undefined, problems: [] } });
    await page.getByRole("button", { name: "Leave out src/b.ts" }).click();
    await page.getByText("src/b.ts").waitFor({ state: "detached" });
    const before = mock.requests.length;
    await send(page, "and now?");
    await page.getByText("At your service").nth(1).waitFor();
    await idle(page);
    assert.ok(mock.requests.length > before);
    assert.doesNotMatch(asked(), /src\/b\.ts/);
    await post({ type: "looking", seen: { file: "src/c.ts", selection: undefined, problems: [] } });
    await page.getByRole("button", { name: "Leave out src/c.ts" }).waitFor();
    assert.equal(await composer(page).inputValue(), "");
  });

  test("goes back to before an earlier turn, and takes out everything from there on", async () => {
    const first = page.locator(".turn", { hasText: "what is this?" });
    await first.getByRole("button", { name: "Turn" }).click();
    await page.getByRole("menuitem", { name: "Go back to before this turn" }).click();
    const dialog = page.getByRole("dialog", { name: "Go back to before this?" });
    await dialog.getByText("Take back the last 2 turns").waitFor();
    await dialog.getByRole("button", { name: "Go back" }).click();
    await page.locator(".turn").first().waitFor({ state: "detached" });
  });
});
