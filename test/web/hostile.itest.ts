/** Text that tries to run or load something, in every place where a model, a file, a server or a colleague can inject text. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { FakeBridge } from "../../apps/web/test/fake-bridge.ts";
import { hostile, hostileItems, requests, session } from "../../apps/web/test/fake-world.ts";
import { openBrowser, pageFolder, patienceMs, picture, watchConsole } from "./page.ts";

let browser: Browser | undefined;
let bridge: FakeBridge;
let url = "";

/** Replaces every string in a value by the hostile one, except names that the page interprets. */
function poisoned<T>(value: T, keep: ReadonlySet<string>): T {
  if (typeof value === "string") return hostile as T;
  if (Array.isArray(value)) return value.map((v) => poisoned(v, keep)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, keep.has(k) ? v : poisoned(v, keep)])) as T;
}
const meaning = new Set([
  "requestId",
  "approvalId",
  "threadId",
  "rootThreadId",
  "turnId",
  "itemId",
  "kind",
  "method",
  "status",
  "createdAt",
  "expiresAt",
  "mode",
  "type",
  "id",
  "required",
  "properties",
  "sessionId",
  "deviceId",
  "scope",
  "seq",
  "at",
  "ruleId",
  "decision",
]);

before(async () => {
  browser = await openBrowser();
  bridge = new FakeBridge(pageFolder);
  bridge.sessions.set(
    "s",
    session("s", hostile, {
      cwd: `/${hostile}`,
      branch: hostile,
      model: hostile,
      source: hostile,
      preview: hostile,
      modelProvider: hostile,
    }),
  );
  bridge.turns.set("s", [
    { id: "t1", status: "failed", error: { message: hostile, additionalDetails: hostile }, items: hostileItems() },
    { id: "t2", status: "inProgress", items: [] },
  ]);
  bridge.diffs.set("s", {
    t1: `diff --git a/${hostile.split("\n")[0]} b/x\n--- a/x\n+++ b/${hostile.split("\n")[0]}\n@@ -1 +1 @@ ${hostile.split("\n")[0]}\n-${hostile.split("\n")[0]}\n+${hostile.split("\n")[2]}\n`,
  });
  bridge.plans.set("s", { turnId: "t1", plan: [{ step: hostile, status: "inProgress" }] });
  bridge.queue.set("s", [{ messageId: "q", input: [], text: hostile, createdAt: "", by: { kind: "device", name: hostile } }]);
  bridge.projects = [{ projectId: "p", name: hostile, workingDirectory: hostile, createdAt: "", updatedAt: "" }];
  bridge.poison = (body) => poisoned(body, meaning);
  url = await bridge.listen();
});
after(async () => {
  await browser?.close();
  await bridge.close();
});

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

interface Watch {
  readonly page: Page;
  check(where: string): Promise<void>;
}

/** Anything that ran, was requested from elsewhere, opened a dialog or was stopped only by the content policy is a failure. */
async function watch(): Promise<Watch> {
  const page = (await browser?.newPage({ viewport: { width: 1280, height: 900 } })) ?? assert.fail("a browser");
  page.setDefaultTimeout(patienceMs);
  const complaints = watchConsole(page);
  const foreign: string[] = [];
  page.on("request", (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && host !== new URL(url).host) foreign.push(request.url());
  });
  page.on("dialog", (dialog) => {
    foreign.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    page,
    async check(where) {
      await page.waitForTimeout(150);
      assert.equal(await page.evaluate("window.pwned"), undefined, where);
      assert.deepEqual(foreign, [], where);
      assert.deepEqual(complaints, [], where);
      const risky = await page.evaluate(
        `[...document.querySelectorAll("script:not([src]), iframe, object, embed, [onerror], [onload], [onclick], a[href^='javascript:'], a[href^='data:'], img[src^='http:']:not([src^='${url}']), svg[onload]")].map((e) => e.outerHTML.slice(0, 80))`,
      );
      assert.deepEqual(risky, [], where);
      assert.ok(
        Number(await page.evaluate("document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth")) <= 0,
        `${where}: long words push the page apart`,
      );
    },
  };
}

test("a conversation full of it: messages, reasoning, commands, files, tools, plans, errors, titles", skip, async () => {
  const { page, check } = await watch();
  await page.goto(`${url}/s/s`);
  await page.locator(".turn").first().waitFor();
  for (const button of await page.locator(".turn [aria-expanded=false]").all()) await button.click({ timeout: 500 }).catch(() => {});
  await check("conversation");
  for (const tab of ["Changes", "Plan", "Details"]) {
    if (tab === "Changes") await page.getByRole("button", { name: "Changes" }).first().click();
    else await page.getByRole("tab", { name: tab }).click();
    await check(tab);
  }
  await picture(page, "30-hostile");
  await page.close();
});

test("streamed piece by piece, it is as harmless as whole", skip, async () => {
  const { page, check } = await watch();
  await page.goto(`${url}/s/s`);
  await page.locator(".turn").first().waitFor();
  bridge.notify("s", "item/started", { turnId: "t2", item: { type: "agentMessage", id: "live", text: "" } });
  for (let at = 0; at < hostile.length; at += 7)
    bridge.notify("s", "item/agentMessage/delta", { turnId: "t2", itemId: "live", delta: hostile.slice(at, at + 7) });
  bridge.notify("s", "item/started", {
    turnId: "t2",
    item: { type: "commandExecution", id: "cmd", command: hostile, commandActions: [], cwd: "/", status: "inProgress" },
  });
  for (let at = 0; at < hostile.length; at += 5)
    bridge.notify("s", "item/commandExecution/outputDelta", { turnId: "t2", itemId: "cmd", delta: hostile.slice(at, at + 5) });
  bridge.notify("s", "error", { turnId: "t2", willRetry: true, error: { message: hostile } });
  await page.getByText("onerror").first().waitFor();
  await check("streaming");
  await page.close();
});

test("every kind of request made of it", skip, async () => {
  const { page, check } = await watch();
  await page.goto(`${url}/inbox`);
  for (const make of Object.values(requests)) {
    const request = make("s");
    const details = request.details as Record<string, unknown>;
    bridge.ask({
      ...poisoned(request, meaning),
      details: {
        ...poisoned(details, meaning),
        ...("availableDecisions" in details ? { availableDecisions: ["accept", hostile, { [hostile]: { a: hostile } }] } : {}),
      },
    });
  }
  await page.locator("[data-request]").nth(7).waitFor();
  for (const button of await page.getByRole("button", { name: "Raw" }).all()) await button.click();
  await check("cards");
  for (const request of [...bridge.pending.values()]) bridge.resolve(request.requestId, hostile, hostile);
  await page.locator(".resolution").nth(7).waitFor();
  await check("resolutions");
  await page.close();
});

test("every other page and menu", skip, async () => {
  const { page, check } = await watch();
  for (const place of [
    "/",
    "/settings/general",
    "/settings/devices",
    "/settings/rules",
    "/settings/audit",
    "/settings/servers",
    "/settings/account",
  ]) {
    await page.goto(url + place);
    await page.locator("main h1").first().waitFor();
    await page.locator("main").getByText("Loading…").first().waitFor({ state: "detached" });
    for (const summary of await page.locator("summary").all()) await summary.click();
    await check(place);
  }
  await page.goto(`${url}/s/s`);
  await page.locator(".turn").first().waitFor();
  for (const name of [/^Model/, /^Permissions/]) {
    await page
      .getByRole("button", { name })
      .first()
      .click()
      .catch(() => {});
    await page.keyboard.press("Escape");
  }
  await page.locator("#composer").fill("@src");
  await page.locator(".suggestion").first().waitFor();
  await check("file names");
  await page.locator("#composer").fill("$");
  await page.locator(".suggestion").first().waitFor();
  await check("skill names");
  await page.keyboard.press("Control+k");
  await page.locator(".palette-row").first().waitFor();
  await check("palette");
  await page.close();
});

test(
  "a screen that fails while it is drawn, and errors that nobody caught, cost neither the list nor the other screens",
  skip,
  async () => {
    if (browser === undefined) return;
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "Notification", {
        get() {
          if ("isMended" in globalThis) return { permission: "default" };
          throw new Error("broken on purpose");
        },
      });
    });
    await page.goto(`${url}/settings/general`);
    await page.getByText("This screen cannot be shown").waitFor();
    await page.locator("#session-search").waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isMended: true }));
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Notifications" }).waitFor();
    for (const fail of ["Promise.reject(new Error('lost'))", "setTimeout(() => { throw new Error('lost') })"]) {
      await page.evaluate(`void ${fail}`);
      const notice = page.getByText("Something in this page failed.");
      await notice.waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
      await notice.waitFor({ state: "detached" });
    }
    await page.close();
  },
);
