/** What stays in the transcript: decisions, questions and answers, with person and time; sub-agents under their parent; times; every reading direction. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { checkAccessibility, picture, until } from "./page.ts";
import { idle, Stage, send, sizes } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: decide
    steps:
      - run: "touch decided.txt"
      - say: "And now a question."
      - ask:
          - { id: colour, header: Colour, question: "Which colour?", options: [{ label: Red, description: "" }, { label: Green, description: "" }] }
          - { id: code, header: Code, question: "The code?", isSecret: true, options: [] }
      - say: "Thank you."
  - user: lead the others
    steps:
      - call: spawn_agent
        with: { message: "count the files" }
      - say: "started"
  - user: count the files
    steps:
      - run: "touch counted.txt"
      - say: "counted"
  - user: שלום
    steps:
      - say: "שלום וברכה"
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("the record of a session", skip, () => {
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await Stage.open(scenario, "features.multi_agent = true\n");
    page = await stage.newPage();
  });
  after(() => stage.close());

  /** Everything that must be shown wherever the session is opened. */
  async function showsRecord(): Promise<void> {
    const turn = page.locator(".turn").first();
    await turn.getByText("Thank you.").waitFor();
    const lines = turn.locator(".resolution");
    await until(async () => (await lines.count()) === 2, "both decisions stand in the turn");
    assert.match(await lines.nth(0).innerText(), /^Allowed by .+, \d.* · Command: touch decided\.txt$/);
    const answered = await lines.nth(1).innerText();
    assert.match(answered, /^Answered by .+, \d.* · Question: Which colour\?/);
    assert.match(answered, /Which colour\?\s+Green\s+The code\?\s+\(a secret\)/);
    assert.equal(await page.getByText("hunter2").count(), 0, "a secret is nowhere");
  }

  test("decisions and answers are shown where they were made, across a reload and a restart of the manager", async () => {
    await stage.begin(page, "decide");
    const address = page.url();
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await page.getByRole("radio", { name: "Green" }).click();
    await page.locator("input[type=password]").fill("hunter2");
    await page.getByRole("button", { name: "Send answer" }).click();
    await idle(page);
    await showsRecord();
    await picture(page, "record-decisions");
    await checkAccessibility(page, "decisions in the transcript");
    await page.reload();
    await showsRecord();
    await stage.restart();
    await page.goto(address);
    await showsRecord();
    await page.setViewportSize(sizes.phone);
    await picture(page, "record-decisions-phone");
    await page.setViewportSize(sizes.desktop);
  });

  test("a message has its time, and the session says nothing of an editor", async () => {
    const time = page.locator(".user-message time").first();
    await time.waitFor({ state: "visible", timeout: 20_000 });
    assert.match(await time.innerText(), /\d/);
    await page.getByRole("button", { name: "Details" }).click();
    const panel = page.getByRole("complementary", { name: "Session details" });
    await panel.getByText("Started").waitFor();
    assert.doesNotMatch(await panel.innerText(), /vscode/i);
    await page.getByRole("button", { name: "Close the panel" }).click();
  });

  test("a sub-agent is listed under its parent, is counted with it, and both link to each other", async () => {
    await stage.begin(page, "lead the others");
    await page.getByText("started", { exact: true }).waitFor();
    const child = page.locator(".session-row.session-child", { hasText: "count the files" });
    await child.waitFor();
    await child.getByText("Needs you").waitFor();
    const heading = page.locator(".list-heading-waiting .list-count");
    assert.equal(await heading.innerText(), "1", "parent and child are one");
    await picture(page, "record-sub-agent");
    await page.locator(".transcript").getByRole("button", { name: "count the files" }).click();
    const parent = page.locator(".session-head").getByRole("button", { name: "lead the others" });
    await parent.waitFor();
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await page.getByText("counted", { exact: true }).waitFor();
    await parent.click();
    await page.getByText("started", { exact: true }).waitFor();
  });

  test("right-to-left text is shown as such, for people and models", async () => {
    await stage.begin(page, "שלום");
    await page.getByText("שלום וברכה").waitFor();
    await idle(page);
    const direction = (selector: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).direction`);
    for (const selector of [".user-text", ".agent-message p", ".session-head h1", ".row-current .session-title"])
      assert.equal(await direction(selector), "rtl", selector);
    await send(page, "and now from left to right");
    await page.getByText("Heard: and now").waitFor();
    await page.locator("#composer").fill("שלום");
    assert.equal(await direction("#composer"), "rtl");
    await picture(page, "record-direction");
    await page.locator("#composer").fill("");
  });
});
