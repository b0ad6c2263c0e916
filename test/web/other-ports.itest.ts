/** Browsers send the manager's cookie to other programs on the same host, which can also plant one: neither gives them access, and the page explains what to do. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { PlayedEngine, scratchFolder, startManager, type TestManager } from "../support/manager.ts";
import { openBrowser, pageFolder, patienceMs, until } from "./page.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };
let browser: Browser | undefined;
let manager: TestManager;
let scratch: ReturnType<typeof scratchFolder>;
let context: BrowserContext;
let page: Page;
/** A user's own dev server on another port: the requests it got, and its responses. */
const neighbour = { cookies: [] as string[], setCookie: undefined as string | undefined, url: "" };
const server = createServer((request, response) => {
  if (request.headers.cookie !== undefined) neighbour.cookies.push(request.headers.cookie);
  response.writeHead(200, {
    "content-type": "text/html",
    ...(neighbour.setCookie === undefined ? {} : { "set-cookie": neighbour.setCookie }),
  });
  response.end("<!doctype html><title>my app</title><h1>my app</h1>");
});

const playing = (): PlayedEngine =>
  new PlayedEngine().on("thread/list", () => ({ data: [], nextCursor: null })).on("model/list", () => ({ data: [], nextCursor: null }));

before(async () => {
  browser = await openBrowser();
  scratch = scratchFolder();
  manager = await startManager({ engine: playing(), folder: scratch.folder, workspace: "/work", page: pageFolder });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  neighbour.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (browser === undefined) return;
  context = await browser.newContext();
  context.setDefaultTimeout(patienceMs);
  page = await context.newPage();
});
after(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
  await manager.close();
  scratch.remove();
});

const home = (on: Page): Promise<void> => on.getByRole("heading", { name: "What should we work on?" }).waitFor();
const signInPage = (on: Page): Promise<void> => on.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
const signIn = (on: Page): Promise<unknown> =>
  on.goto(`${manager.url}/#sign-in=${manager.backend.access.makeLink("admin", undefined).code}`);
/** The page is signed in and receives events. */
async function isIn(on: Page): Promise<void> {
  await home(on);
  await until(() => manager.backend.hub.listeners > 0, "an open event stream");
}

test("a browser stays signed in over a reload, in other tabs and after a restart of the manager", skip, async () => {
  await signIn(page);
  await isIn(page);
  await page.reload();
  await isIn(page);
  const tab = await context.newPage();
  await tab.goto(manager.url);
  await isIn(tab);
  const { port } = manager.served;
  await manager.close();
  manager = await startManager({ engine: playing(), folder: scratch.folder, workspace: "/work", page: pageFolder, port });
  await tab.reload();
  await isIn(tab);
  await tab.close();
});

test("a sign-in in one tab also signs in the others", skip, async () => {
  const tab = await context.newPage();
  await signIn(tab);
  await isIn(tab);
  await page.reload();
  await isIn(page);
  await tab.close();
});

test("the cookie that another port gets makes no link, reads nothing and opens no stream", skip, async () => {
  const visit = await context.newPage();
  await visit.goto(neighbour.url);
  const stolen = neighbour.cookies.at(-1) ?? "";
  assert.match(stolen, /parley_\d+=/, "browsers do send it to every port");
  const tries: Record<string, string>[] = [{ cookie: stolen }, { authorization: `Bearer ${stolen.slice(stolen.indexOf("=") + 1)}` }];
  for (const headers of tries) {
    assert.equal((await manager.call("POST /api/auth/links", { scope: "admin" }, headers)).status, 401);
    assert.equal((await manager.call("GET /api/sessions", undefined, headers)).status, 401);
  }
  // From inside the browser, where cookies are sent automatically; another port has no access to our storage.
  const outcomes = await visit.evaluate(async (url) => {
    const fetched = async (path: string, init: RequestInit): Promise<string> =>
      fetch(url + path, { credentials: "include", mode: "no-cors", ...init }).then(
        (response) => response.type,
        () => "failed",
      );
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/stream`);
    const stream = await new Promise((resolve) => {
      socket.onopen = () => resolve("opened");
      socket.onerror = () => resolve("refused");
    });
    return {
      get: await fetched("/api/sessions", {}),
      post: await fetched("/api/auth/links", { method: "POST", body: '{"scope":"admin"}' }),
      stream,
      key: localStorage.getItem("parley.key"),
    };
  }, manager.url);
  assert.deepEqual([outcomes.stream, outcomes.key], ["refused", null]);
  assert.equal(manager.backend.audit.page({ limit: 100 }).data.filter(({ type }) => type === "link").length, 0, "no link was made");
  await visit.close();
});

test("a cookie planted by another port does not shadow ours; one that replaced it is reported, with what to do", skip, async () => {
  const visit = await context.newPage();
  const name = (await context.cookies(manager.url)).find((cookie) => cookie.name.startsWith("parley_"))?.name ?? "";
  neighbour.setCookie = `${name}=planted; Path=/api`;
  await visit.goto(neighbour.url);
  await page.reload();
  await isIn(page);
  neighbour.setCookie = `${name}=planted; Path=/`;
  await visit.goto(neighbour.url);
  await page.reload();
  await signInPage(page);
  await page.getByText("Another program on this host has replaced this browser's cookie").waitFor();
  await page.getByText("parley manager link").first().waitFor();
  await signIn(page);
  await isIn(page);
  await visit.close();
});

test("a browser that was signed in before there were keys is asked to sign in again", skip, async () => {
  manager.backend.store.change({ devices: manager.backend.store.state.devices.map(({ pageDigest: _, ...device }) => device) });
  await page.evaluate(() => localStorage.removeItem("parley.key"));
  await page.goto(manager.url);
  await signInPage(page);
  await page.getByText("This device was signed in before browsers were given a second key").waitFor();
  await signIn(page);
  await isIn(page);
});

test("a link whose code cannot be read is refused with an error message", skip, async () => {
  const tab = await context.newPage();
  await tab.goto(`${manager.url}/#sign-in=%`);
  await signInPage(tab);
  await tab.getByText("was used already, is too old, or was never made").waitFor();
  await tab.close();
});

test("the audit log is taken away as a file, with the key that a plain link could not send", skip, async () => {
  const tab = await context.newPage();
  await signIn(tab);
  await isIn(tab);
  await tab.goto(`${manager.url}/settings/audit`);
  const download = tab.waitForEvent("download");
  await tab.getByRole("button", { name: /Export/ }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), "parley-audit.jsonl");
  assert.match(readFileSync(await file.path(), "utf8"), /"type":"sign_in"/);
  await tab.close();
});
