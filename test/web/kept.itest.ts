/** What the page shows must not get lost: warnings, queued messages, long outputs, pictures, unread marks, archived sessions. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { picture } from "./page.ts";
import { composer, idle, Stage, send } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: warn me
    steps:
      - warn: "80 % of this month's budget is used."
      - say: "Warned."
  - user: slow story
    steps:
      - pace: 200
      - say: "Once upon a time there was a very long sentence that took its time to arrive, word by word, until somebody stopped it for good."
  - user: wait a moment
    steps:
      - pause: 1500
      - say: "Waited."
  - user: count far
    steps:
      - run: "seq 1 60000"
      - say: "Counted."
  - user: a picture please
    steps:
      - call: picture
        namespace: mcp__pictures
      - say: "Drawn."
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;
const fixture = path.resolve(import.meta.dirname, "../support/mcp-fixture.ts");
const config = `[mcp_servers.pictures]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "pictures"]\nstartup_timeout_sec = 60\n`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("nothing that matters gets lost", skip, () => {
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await Stage.open(scenario, config);
    page = await stage.newPage();
  });
  after(() => stage.close());

  const row = (title: string): Locator => page.locator(".session-row", { hasText: title });

  test("a warning is shown in the session it is about, and a general one on every page", async () => {
    await stage.begin(page, "warn me");
    await page.getByRole("list", { name: "Warnings" }).getByText("80 % of this month's budget is used.").waitFor();
    await idle(page);
    await picture(page, "kept-warning");
    stage.manager.backend.tell("The disk is nearly full.");
    await page.getByRole("status").getByText("The disk is nearly full.").waitFor();
  });

  test("a message queued for a stopped turn shows that, and can be sent at once", async () => {
    await stage.begin(page, "slow story");
    await page.getByRole("button", { name: "Stop the turn" }).waitFor();
    await composer(page).fill("then tell another");
    await page.keyboard.press("Alt+Enter");
    const queue = page.getByRole("list", { name: "Queued messages" });
    await queue.getByText("sent when this turn ends").waitFor();
    await page.getByRole("button", { name: "Stop the turn" }).click();
    await queue.getByText("waits, as the turn was stopped").waitFor();
    await picture(page, "kept-queue");
    await queue.getByRole("button", { name: "Send now" }).click();
    await page.getByText("Heard: then tell another").waitFor();
    await queue.waitFor({ state: "detached" });
    assert.equal(await page.locator(".user-message", { hasText: "then tell another" }).count(), 1);
    await idle(page);
  });

  test("all of a long output can be saved and copied", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await stage.begin(page, "count far");
    const allow = page.getByRole("button", { name: /^Allow once/ });
    await allow.or(page.getByText("Counted.")).first().waitFor();
    if ((await allow.count()) > 0) await allow.click();
    await page.getByText("Counted.").waitFor();
    await idle(page);
    await page.getByRole("button", { name: /seq 1 60000/ }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download all" }).click()]);
    const saved = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n");
    assert.deepEqual([saved.length, saved[0], saved.at(-1)], [60_000, "1", "60000"]);
    await page.getByRole("button", { name: "Copy output" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = (await page.evaluate<string>("navigator.clipboard.readText()")).trim().split("\n");
    assert.equal(copied.length, 60_000);
  });

  test("a picture that an MCP tool returns is shown as one", async () => {
    await stage.begin(page, "a picture please");
    await page.getByText("Drawn.").waitFor();
    await idle(page);
    await page.getByRole("button", { name: /pictures · picture/ }).click();
    const image = page.getByRole("img", { name: "Result of the tool" });
    await image.waitFor();
    assert.ok(await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth > 0), "it can be drawn");
    assert.equal(await page.getByText("iVBORw0KGgo").count(), 0);
  });

  test("what is unread stays so over a reload", async () => {
    await stage.begin(page, "wait a moment");
    const address = page.url();
    await stage.home(page);
    await row("wait a moment").getByText("Done, unread").waitFor();
    await page.reload();
    await row("wait a moment").getByText("Done, unread").waitFor();
    await page.goto(address);
    await page.getByText("Waited.").waitFor();
    await stage.home(page);
    await row("wait a moment").waitFor();
    assert.equal(await row("wait a moment").getByText("Done, unread").count(), 0);
  });

  test("what was archived can be brought back at once", async () => {
    await stage.begin(page, "put me away");
    await page.getByText("Heard: put me away").waitFor();
    await idle(page);
    await send(page, "/archive");
    await row("put me away").waitFor({ state: "detached" });
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await row("put me away").waitFor();
  });
});
