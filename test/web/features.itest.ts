/** What the page can do beside the main story, each feature once: sending, finding, arranging, settings, and what happens when the connection breaks. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { FakeBridge } from "../../apps/web/test/fake-bridge.ts";
import { requests } from "../../apps/web/test/fake-world.ts";
import { fill } from "../../apps/web/test/play.ts";
import { checkAccessibility, openBrowser, pageFolder, patienceMs, picture, pressTwice, until, watchConsole } from "./page.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("what the page can do", skip, () => {
  let browser: Browser | undefined;
  let context: BrowserContext;
  let bridge: FakeBridge;
  let page: Page;
  let url = "";
  let complaints: string[] = [];

  before(async () => {
    browser = await openBrowser();
    bridge = new FakeBridge(pageFolder);
    fill(bridge);
    url = await bridge.listen();
    context = (await browser?.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })) ?? assert.fail("a browser");
    page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    complaints = watchConsole(page);
  });
  after(async () => {
    await browser?.close();
    await bridge.close();
  });

  const open = async (address: string, on = page): Promise<void> => {
    await on.goto(url + address);
    await on.locator("main h1").first().waitFor();
    if (address.startsWith("/s/")) await on.locator(".turn, .empty").first().waitFor();
  };
  /** Waits until an expression is true in the page; its content policy allows no other way of watching it. */
  const shows = (expression: string): Promise<void> => until(async () => (await page.evaluate(expression)) === true, expression);
  const composer = () => page.getByLabel("Message", { exact: true });
  /** Runs an action that sends one message, and returns the message once it has arrived: the page clears its field earlier. */
  const sentBy = async (act: () => Promise<void>): Promise<Record<string, unknown>> => {
    const before = bridge.messages.length;
    await act();
    await until(() => bridge.messages.length > before, "a message arrives");
    assert.equal(bridge.messages.length, before + 1);
    return bridge.messages[before]?.body ?? {};
  };
  /** Waits until the turn started by a message has ended, in the engine and on the page. */
  const answered = async (message: Record<string, unknown>): Promise<void> => {
    const turn = `turn-${String(message["clientMessageId"]).slice(0, 8)}`;
    await page.locator(`[data-turn="${turn}"]`).getByText("All tests pass.").waitFor();
    await page.getByRole("button", { name: "Stop the turn" }).waitFor({ state: "detached" });
  };

  test("a draft stays with its session, over a change of session and a reload", async () => {
    await open("/s/s4");
    await composer().fill("half a thought");
    await open("/s/s5");
    assert.equal(await composer().inputValue(), "");
    await open("/s/s4");
    assert.equal(await composer().inputValue(), "half a thought");
    await composer().fill("");
  });

  test("while a turn runs a message steers it or is queued, and the other choice is one key away", async () => {
    await open("/s/s2");
    await composer().fill("use the system's colours");
    assert.equal((await sentBy(() => page.keyboard.press("Enter")))["delivery"], "steer");
    await shows("document.querySelector('#composer').value === ''");
    await composer().fill("and then write the docs");
    assert.equal((await sentBy(() => page.keyboard.press("Alt+Enter")))["delivery"], "queue");
    await page.getByRole("list", { name: "Queued messages" }).getByText("and then write the docs").waitFor();
    await picture(page, "50-queue");
    await page.getByRole("button", { name: "Take this message back" }).click();
    await page.getByRole("list", { name: "Queued messages" }).waitFor({ state: "detached" });
  });

  test("Escape twice stops the turn, and it can be tried again", async () => {
    await open("/s/s2");
    await composer().focus();
    await pressTwice(page, "Escape");
    await page.getByText("Stopped", { exact: true }).waitFor();
    const again = await sentBy(() => page.getByRole("button", { name: "Try again" }).click());
    await answered(again);
    assert.match(JSON.stringify(again["input"]), /Add dark mode/);
  });

  test("@ finds files, $ finds skills, / runs commands", async () => {
    await open("/s/s4");
    await composer().pressSequentially("look at @tok");
    await page.getByRole("listbox", { name: "Suggestions" }).getByText("token-bucket.ts").first().waitFor();
    await picture(page, "51-files");
    await page.keyboard.press("Enter");
    await composer().pressSequentially(" with $rev");
    await page.getByRole("option", { name: /review/ }).waitFor();
    await page.keyboard.press("Tab");
    const message = await sentBy(() => page.keyboard.press("Enter"));
    await answered(message);
    const input = message["input"] as { type: string; name?: string }[];
    assert.deepEqual(
      input.map((part) => part.type),
      ["text", "mention", "skill"],
    );
    await composer().pressSequentially("/rev");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog")
      .getByText(/review/i)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
  });

  test("pictures are pasted, dropped or chosen, shown small, and sent", async () => {
    await open("/s/s4");
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    await page.locator("input[type=file]").setInputFiles({ name: "shot.png", mimeType: "image/png", buffer: png });
    await page.getByRole("list", { name: "Attached" }).getByRole("img", { name: "shot.png" }).waitFor();
    await page.locator("input[type=file]").setInputFiles({ name: "log.txt", mimeType: "text/plain", buffer: Buffer.from("line one") });
    await page.getByRole("list", { name: "Attached" }).getByText("log.txt").waitFor();
    await composer().fill("what is this?");
    const message = await sentBy(() => page.keyboard.press("Enter"));
    await answered(message);
    const text = JSON.stringify(message["input"]);
    assert.match(text, /data:image\/png;base64/);
    assert.match(text, /line one/);
  });

  test("model, effort and permissions are always in view; approvals that are off are red", async () => {
    await open("/s/s6");
    await page.getByRole("button", { name: /^Permissions: Full access/ }).waitFor();
    assert.match((await page.getByRole("button", { name: /^Permissions/ }).getAttribute("class")) ?? "", /danger/);
    await page.getByRole("button", { name: /^Permissions/ }).click();
    await page.getByRole("option", { name: /Ask first/ }).click();
    await page.getByRole("button", { name: /^Permissions: Ask first/ }).waitFor();
    assert.equal(bridge.sessions.get("s6")?.sessionControls?.approvalPolicy, "untrusted");
    await page.getByRole("button", { name: /^Model/ }).click();
    await page.getByRole("option", { name: /GPT-5.6 Codex/ }).click();
    await page.getByRole("button", { name: /^Effort/ }).click();
    await page.getByRole("option", { name: /High/ }).click();
    await page.getByRole("button", { name: /^Effort: High/ }).waitFor();
    assert.equal(bridge.sessions.get("s6")?.sessionControls?.effort, "high");
  });

  test("the meter tells how full the context is, and the panel the rest", async () => {
    await open("/s/s1");
    await page.locator(".meter", { hasText: "32%" }).waitFor();
    await page.getByRole("button", { name: "Details" }).first().click();
    const panel = page.getByRole("complementary", { name: "Session details" });
    await panel
      .getByText(/412k|412,000/)
      .first()
      .waitFor();
    await panel.getByText(/5-hour limit: 34 % used/).waitFor();
    await panel.getByRole("tab", { name: "Plan" }).click();
    await panel.getByRole("listitem").first().waitFor();
    await picture(page, "52-plan");
  });

  test("sessions are searched, grouped by project, and the ones that wait come first", async () => {
    await open("/");
    bridge.ask(requests.command("s7"));
    await page.locator(".session-row").first().filter({ hasText: "vector search" }).waitFor();
    await page
      .getByRole("heading", { name: /Needs you/ })
      .or(page.getByText(/^Needs you/))
      .first()
      .waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("flaky");
    await page.locator(".session-row", { hasText: "Fix the flaky rate limiter test" }).waitFor();
    await page.locator(".session-row").nth(1).waitFor({ state: "detached" });
    assert.equal(await page.locator(".session-row").count(), 1);
    await page.getByLabel("Search sessions").fill("");
    bridge.resolve([...bridge.pending.keys()][0] ?? "", "accept");
    const show = async (what: string): Promise<void> => {
      await page.getByRole("button", { name: /^Show:/ }).click();
      await page.getByRole("option", { name: what, exact: true }).click();
    };
    bridge.update("s3", { state: "working" });
    await show("Working");
    await page.locator(".session-row", { hasText: "vector search" }).waitFor({ state: "detached" });
    await page.locator(".session-row", { hasText: "nightly build" }).waitFor();
    await show("Archive");
    await page.locator(".session-row", { hasText: "An archived idea" }).waitFor();
    await show("All sessions");
    await page.getByRole("button", { name: "Group by project" }).click();
    await page.getByRole("button", { name: /^Tidepool/ }).waitFor();
    await page.getByRole("button", { name: /^Website/ }).waitFor();
    await picture(page, "55-projects");
    await page.getByRole("button", { name: "Group by time" }).click();
    bridge.update("s3", { state: "idle" });
  });

  test("title, icon and a notification alert a user who looks elsewhere, and lead to the card", async () => {
    await context.grantPermissions(["notifications"], { origin: url });
    await open("/");
    await page.evaluate(`(() => {
      window.notes = [];
      window.Notification = class { static permission = "granted"; static requestPermission = async () => "granted"; constructor(title, o) { window.notes.push({ title, ...o }); window.lastNote = this; } close() {} };
      Object.defineProperty(document, "hasFocus", { value: () => false });
    })()`);
    const { requestId } = bridge.ask(requests.command("s5"));
    await shows("document.title === '(1) Parley'");
    assert.match((await page.locator("#favicon").getAttribute("href")) ?? "", /^data:image\/png/);
    const notes = (await page.evaluate("window.notes")) as { title: string; body: string }[];
    assert.equal(notes.length, 1);
    assert.equal(notes[0]?.title, bridge.sessions.get("s5")?.title);
    await page.evaluate("window.lastNote.onclick()");
    await page.locator(`[data-request="${requestId}"]:focus`).waitFor();
    bridge.resolve(requestId, "accept");
    await shows("document.title === 'Parley'");
    bridge.update("s5", { state: "working" });
    bridge.update("s5", { state: "failed", lastTurnStatus: "failed" });
    await shows("window.notes.length === 2");
    const row = page.locator(".session-row", { hasText: bridge.sessions.get("s4")?.title ?? "" }).first();
    bridge.update("s4", { state: "working" });
    await row.getByText("Working").waitFor();
    bridge.update("s4", { state: "idle", lastTurnStatus: "completed", unread: true });
    await row.getByText("Done, unread").waitFor();
    assert.equal(await page.evaluate("window.notes.length"), 2, "a kind that is switched off is not notified");
    bridge.update("s5", { state: "idle", lastTurnStatus: "completed" });
  });

  test("a browser that has notifications but makes none, as on Android, shows what waits all the same", async () => {
    const errors: string[] = [];
    const note = (error: Error): void => void errors.push(error.message);
    page.on("pageerror", note);
    await open("/");
    await page.evaluate(`(() => {
      window.tried = 0;
      window.Notification = class { static permission = "granted"; constructor() { window.tried++; throw new TypeError("Illegal constructor"); } };
      Object.defineProperty(document, "hasFocus", { value: () => false });
    })()`);
    const { requestId } = bridge.ask(requests.command("s5"));
    await shows("window.tried === 1 && document.title === '(1) Parley'");
    bridge.resolve(requestId, "accept");
    await shows("document.title === 'Parley'");
    page.off("pageerror", note);
    assert.deepEqual(errors, []);
  });

  test("a broken connection is shown, messages written meanwhile are sent once, and missed events are caught up", async () => {
    await open("/s/s4");
    await context.setOffline(true);
    bridge.dropSockets();
    await page.getByText(/cannot be reached. Trying again/).waitFor();
    await composer().fill("written in the dark");
    await page.keyboard.press("Enter");
    const bubble = page.locator(".outgoing", { hasText: "written in the dark" });
    await bubble.getByText(/sent as soon as it is back/).waitFor();
    await until(async () => {
      const [end, dock] = [await bubble.boundingBox(), await page.locator(".composer").boundingBox()];
      return (end?.y ?? 1e6) + (end?.height ?? 0) <= (dock?.y ?? 0);
    }, "the message that waits is in sight, above the composer");
    await picture(page, "53-offline");
    bridge.notify("s4", "turn/started", { turn: { id: "away", items: [], status: "inProgress" } });
    bridge.notify("s4", "item/completed", {
      turnId: "away",
      item: { type: "agentMessage", id: "away-1", text: "Said while you were away" },
    });
    bridge.notify("s4", "turn/completed", { turn: { id: "away", items: [], status: "completed" } });
    bridge.update("s6", { title: "Renamed while you were away" });
    const message = await sentBy(() => context.setOffline(false));
    await page.getByText("Said while you were away").waitFor();
    await page.locator(".session-row", { hasText: "Renamed while you were away" }).waitFor();
    await answered(message);
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor({ state: "detached" });
    assert.equal(await page.locator(".user-message", { hasText: "written in the dark" }).count(), 1);
  });

  test("an engine that is gone is looked for again: it may be on another machine, where nobody here can start it", async () => {
    await open("/s/s4");
    bridge.emit("engine_state", null, { running: false, reason: "the connection was closed" });
    await page.getByText("The engine cannot be reached: the connection was closed. Trying again…").waitFor();
    bridge.emit("engine_state", null, { running: true, reason: null });
    await page.getByText("The engine cannot be reached").waitFor({ state: "detached" });
  });

  test("late and duplicate answers are shown by the server's event, never by the click", async () => {
    await open("/s/s5");
    const request = bridge.ask(requests.command("s5"));
    const card = page.locator(`[data-request="${request.requestId}"]`);
    await card.waitFor();
    bridge.pending.set(request.requestId, { ...request, status: "responding" });
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await card.getByText(/Someone else/).waitFor();
    bridge.pending.set(request.requestId, request);
    bridge.resolve(request.requestId, "decline", "Ada's phone");
    await card.waitFor({ state: "detached" });
  });

  test("rules, audit, devices and servers have their pages", async () => {
    await open("/settings/rules");
    await page.getByText("npm test").waitFor();
    await page.getByText("Never on this machine").waitFor();
    await open("/settings/audit");
    await page.getByText("git push --force").waitFor();
    await page.getByRole("button", { name: /Export/ }).waitFor();
    await open("/settings/devices");
    await page.getByText("Safari on iOS").waitFor();
    await open("/settings/servers");
    await page.getByText("calendar").first().waitFor();
    await page
      .getByRole("button", { name: /Sign in/ })
      .first()
      .waitFor();
  });

  test("without a model the first screen offers the tour, and a key can be given on the page", async () => {
    const capabilities = (offlineTour: boolean) => (body: unknown) => {
      const known = body as { runtime?: object };
      return known.runtime === undefined ? body : { ...known, runtime: { ...known.runtime, offlineTour } };
    };
    bridge.poison = capabilities(true);
    await open("/");
    await page
      .getByRole("list", { name: "The tour" })
      .getByRole("button", { name: /See it run a command/ })
      .waitFor();
    await picture(page, "56-tour");
    await page.getByRole("button", { name: "Set up a model" }).click();
    await page.getByLabel("OpenAI API key").fill("sk-test-key");
    await picture(page, "57-key");
    bridge.poison = capabilities(false);
    await page.getByRole("button", { name: "Use this key" }).click();
    // Like older engines, this one does not report a check.
    await page.getByText("this engine could not check it").waitFor();
    await page.getByText("No model is set up yet").waitFor({ state: "detached" });
    assert.deepEqual(bridge.keys, ["sk-test-key"]);
    await page.goto(url);
    await page.getByRole("list", { name: "Ideas" }).waitFor();
  });

  test("the sandbox is named in the settings, and a weak or missing one on every screen", async () => {
    const withSandbox = (sandbox: object) => (body: unknown) => {
      const known = body as { runtime?: object };
      return known.runtime === undefined ? body : { ...known, runtime: { ...known.runtime, sandbox } };
    };
    const general = page.locator(".settings-page");
    bridge.poison = withSandbox({ engine: "bubblewrap", standing: "full", line: "commands are confined by bubblewrap", fix: null });
    await open("/settings/general");
    await general.getByText("Commands are confined by bubblewrap.").waitFor();
    assert.equal(await page.locator(".banner-sandbox").count(), 0);
    const weak = {
      engine: "landlock",
      standing: "weaker",
      line: "commands are confined by Landlock. Landlock cannot protect <b>names</b>",
    };
    bridge.poison = withSandbox({ ...weak, fix: "install bubblewrap" });
    await open("/");
    await page.getByText("The sandbox of this machine is weaker than it could be.").click();
    await page.getByText("Landlock cannot protect <b>names</b>. Install bubblewrap.").waitFor();
    await picture(page, "58-weaker-sandbox");
    await checkAccessibility(page, "the banner of a weaker sandbox");
    bridge.poison = withSandbox({ engine: "none", standing: "refused", line: "No sandbox: none. Install bubblewrap" });
    await open("/s/s4");
    await page.getByText("Commands are refused: this machine has no sandbox.").click();
    await page.getByText("No sandbox: none. Install bubblewrap.").waitFor();
    await picture(page, "59-no-sandbox");
    await checkAccessibility(page, "the banner of a refused sandbox");
    bridge.poison = (body) => body;
    await open("/");
    await page.locator(".banner-sandbox").waitFor({ state: "detached" });
  });

  test("keys can be changed, and help shows those that hold", async () => {
    await open("/settings/keys");
    await page
      .getByRole("row", { name: /Inbox/ })
      .or(page.locator("li, tr, div").filter({ hasText: /^Inbox/ }))
      .first()
      .getByRole("button")
      .first()
      .click();
    await page.keyboard.press("Alt+o");
    await page.getByText("Alt+O").first().waitFor();
    await open("/");
    await page.keyboard.press("Alt+o");
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Alt+O").waitFor();
    await picture(page, "54-help");
    await page.keyboard.press("Escape");
  });

  test("the page itself had nothing to complain about", () => assert.deepEqual(complaints, []));
});
