/** Plan, goal and queue, search, files and cost on the page, each played by a person on the real manager. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { checkAccessibility, picture, until, watchConsole } from "./page.ts";
import { composer, idle, Stage, send, sizes } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: think first
    steps:
      - say: "<proposed_plan>\\n1. Look around.\\n2. Turn left.\\n</proposed_plan>\\n"
  - user: Carry out the plan.
    steps:
      - say: "Turned left."
  - user: /hold on/
    steps:
      - run: "while [ ! -f go ]; do sleep 0.05; done"
      - say: "Released."
  - user: where is it
    steps:
      - run: "echo 'src/harbour.ts:2:7 - error: no pilot'"
      - say: "The lighthouse keeper says: look at \`src/harbour.ts:2\`."
  - user: /hold the boat/
    steps:
      - run: "while [ ! -f boat ]; do sleep 0.05; done"
      - say: "Held."
  - user: /tidy/
    steps:
      - call: update_goal
        with: { status: "complete" }
      - say: "All tidy."
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;
const config = `approval_policy = "never"\n[parley.budget]\nmoney_per_day = 1\n`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("a day's work", skip, () => {
  let stage: Stage;
  let page: Page;
  let complaints: string[] = [];

  before(async () => {
    stage = await Stage.open(scenario, config);
    mkdirSync(path.join(stage.workspace, "src"));
    writeFileSync(path.join(stage.workspace, "src/harbour.ts"), "export const lights = 3;\nexport const pilot = null;\n");
    page = await stage.newPage();
    complaints = watchConsole(page);
  });
  after(() => stage.close());

  const panel = (): Locator => page.getByRole("complementary", { name: "Session details" });
  const queue = (): Locator => page.getByRole("list", { name: "Queued messages" });
  /** Allows a command if it is asked about, which depends on the machine's sandbox. */
  const allowed = async (ran: Locator): Promise<void> => {
    const allow = page.getByRole("button", { name: /^Allow once/ });
    await allow.or(ran).first().waitFor();
    if ((await allow.count()) > 0) await allow.click();
    await ran.waitFor();
  };
  const queued = async (): Promise<string[]> => await queue().locator(".queue-text").allInnerTexts();

  test("a plan is approved before anything is done", async () => {
    await stage.home(page);
    await page.getByRole("button", { name: /Plan first/ }).click();
    await send(page, "think first");
    const card = page.getByRole("region", { name: "Approve this plan?" });
    await card.waitFor();
    await picture(page, "plan-approval");
    await checkAccessibility(page, "the approval of a plan");
    await card.getByRole("button", { name: "Say what should be different" }).click();
    await page.locator("#composer:focus").waitFor();
    await card.getByRole("button", { name: "Carry out this plan" }).click();
    await page.getByText("Turned left.").waitFor();
    await card.waitFor({ state: "detached" });
    await idle(page);
  });

  test("messages that wait are changed, reordered, taken back, and sent now", async () => {
    await stage.begin(page, "hold on");
    await allowed(page.getByText("running", { exact: true }));
    for (const text of ["first", "second", "third"]) {
      await composer(page).fill(text);
      await page.keyboard.press("Alt+Enter");
      await queue().getByText(text).waitFor();
    }
    const row = (text: string): Locator => queue().getByRole("listitem").filter({ hasText: text });
    await row("third").getByRole("button", { name: "Move this message up" }).click();
    await until(async () => (await queued()).join() === "first,third,second", "the order changes");
    await row("first").getByRole("button", { name: "Change this message" }).click();
    await queue().getByRole("textbox").fill("first, but better");
    await page.keyboard.press("Control+Enter");
    await until(async () => (await queued())[0] === "first, but better", "the text changes");
    await picture(page, "queue-of-three");
    await checkAccessibility(page, "the queue");
    await row("second").getByRole("button", { name: "Take this message back" }).click();
    await until(async () => (await queued()).length === 2, "it is gone");
    await row("third").getByRole("button", { name: "Send now" }).click();
    await until(async () => (await queued()).join() === "first, but better", "it steers the turn");
    writeFileSync(path.join(stage.workspace, "go"), "");
    await page.locator(".user-message", { hasText: "third" }).waitFor();
    await page.getByText("Heard: first, but better").waitFor();
    await queue().waitFor({ state: "detached" });
    await idle(page);
  });

  test("a goal is set with a budget, paused, pursued by itself and reached", async () => {
    await stage.begin(page, "good morning");
    await idle(page);
    await page.keyboard.press("Alt+g");
    const dialog = page.getByRole("dialog", { name: "Set a goal" });
    await dialog.getByLabel("Goal").fill("hold the boat");
    await dialog.getByLabel(/^Budget in tokens/).fill("many");
    await dialog.getByText("Write a whole number above zero").waitFor();
    await dialog.getByLabel(/^Budget in tokens/).fill("900000");
    await checkAccessibility(page, "the dialog of a goal");
    await dialog.getByRole("button", { name: "Start" }).click();
    const bar = page.getByRole("region", { name: "Goal" });
    await bar.getByText("hold the boat").waitFor();
    await bar.getByText(/of 900k tokens/).waitFor();
    await allowed(page.getByText("running", { exact: true }));
    await bar.getByRole("button", { name: "Pause the goal" }).click();
    await bar.getByText("Paused").waitFor();
    writeFileSync(path.join(stage.workspace, "boat"), "");
    await page.getByText("Held.").first().waitFor();
    await idle(page);
    await picture(page, "goal-paused");
    await bar.getByRole("button", { name: "Change the goal" }).click();
    const change = page.getByRole("dialog", { name: "Change the goal" });
    await change.getByLabel("Goal").fill("tidy the harbour");
    await change.getByRole("button", { name: "Save" }).click();
    await bar.getByText("Reached").waitFor();
    await page.getByText("All tidy.").first().waitFor();
    await bar.getByRole("button", { name: "Give the goal up" }).click();
    await bar.waitFor({ state: "detached" });
  });

  test("text is found in all sessions and in one, and its place in the conversation is shown", async () => {
    await stage.begin(page, "where is it");
    await allowed(page.getByText("The lighthouse keeper says"));
    await idle(page);
    const address = page.url();
    await stage.home(page);
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("LIGHTHOUSE keeper");
    await page.getByRole("button", { name: /^Search in messages for/ }).click();
    const hits = page.getByRole("list", { name: "Sessions found" });
    await hits.locator("mark", { hasText: "lighthouse keeper" }).waitFor();
    await page.getByRole("status").getByText("1 session", { exact: true }).waitFor();
    await picture(page, "search-all");
    await checkAccessibility(page, "the search");
    await hits.getByRole("button").first().click();
    await page.waitForURL(address);
    await page.locator(".session").waitFor();
    await page.keyboard.press("Alt+f");
    await panel().getByRole("list", { name: "Time line" }).getByText("Ran echo").waitFor();
    await picture(page, "time-line");
    await checkAccessibility(page, "the time line");
    await panel().getByRole("searchbox", { name: "Find in this session" }).fill("keeper");
    await panel().getByText("1 place", { exact: true }).waitFor();
    await panel().getByRole("list", { name: "Places found" }).getByRole("button").first().click();
    await page.locator(".found-here").waitFor();
  });

  test("file:line opens the file there, and a small edit never overwrites somebody else's", async () => {
    const file = path.join(stage.workspace, "src/harbour.ts");
    await page.locator(".turn").getByRole("button", { name: "src/harbour.ts:2", exact: true }).click();
    await panel().locator("[aria-current=location]", { hasText: "pilot" }).waitFor();
    await picture(page, "file-view");
    await checkAccessibility(page, "the file");
    const edit = async (text: string): Promise<void> => {
      await panel().getByRole("button", { name: "Edit" }).click();
      await panel()
        .getByRole("textbox", { name: /^Edit / })
        .fill(text);
    };
    await edit("export const lights = 4;\n");
    await page.keyboard.press("Control+s");
    await until(() => readFileSync(file, "utf8") === "export const lights = 4;\n", "it is saved");
    await edit("export const lights = 5;\n");
    writeFileSync(file, "export const lights = 6;\n");
    await panel().getByRole("button", { name: "Save", exact: true }).click();
    await panel().getByText("Somebody has changed this file meanwhile.").waitFor();
    await checkAccessibility(page, "a conflict");
    assert.equal(readFileSync(file, "utf8"), "export const lights = 6;\n");
    await panel().getByRole("button", { name: "Take theirs, drop mine" }).click();
    await panel().getByText("lights = 6").waitFor();
    await panel().getByRole("button", { name: "Close the panel" }).click();
    // The output of a command links too, also with a column.
    await page.getByRole("button", { name: /echo/ }).first().click();
    await page.getByRole("button", { name: "src/harbour.ts:2:7", exact: true }).click();
    await panel().getByText("lights = 6").waitFor();
  });

  test("an issue is attached to a session, for every client", async () => {
    await panel().getByRole("tab", { name: "Details" }).click();
    const attached = panel().getByRole("region", { name: "Attached" });
    await attached.getByLabel("Address to attach").fill("https://example.org/issues/7");
    await page.keyboard.press("Enter");
    await attached.getByRole("link", { name: "example.org/issues/7" }).waitFor();
    await page.reload();
    await attached.getByRole("link", { name: "example.org/issues/7" }).waitFor();
    await checkAccessibility(page, "details with an attachment");
    await attached.getByRole("button", { name: /^Remove/ }).click();
    await attached.getByText("Nothing yet.").waitFor();
  });

  test("the folder of a new session is completed while it is typed", async () => {
    mkdirSync(path.join(stage.workspace, "quayside/inner"), { recursive: true });
    await stage.home(page);
    await page.getByRole("button", { name: /^Folder:/ }).click();
    await page.getByRole("option", { name: "Another folder…" }).click();
    const field = page.getByRole("combobox", { name: /^Folder on the machine/ });
    await field.fill(path.join(stage.workspace, "qua"));
    await page.getByRole("option", { name: "quayside" }).waitFor();
    await picture(page, "folder-completion");
    await checkAccessibility(page, "the completion of folders");
    await page.keyboard.press("Tab");
    await page.getByRole("option", { name: "inner" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await field.inputValue(), `${path.join(stage.workspace, "quayside/inner")}/`);
  });

  test("cost is shown by day, project and model, and a budget is set", async () => {
    await page.goto(`${stage.url}/settings/cost`);
    const figures = page.getByRole("region", { name: "Cost" });
    await figures.getByRole("table").getByText("workspace").waitFor();
    await figures.getByRole("button", { name: "By model" }).click();
    await figures.getByRole("columnheader", { name: "Model" }).waitFor();
    await figures.getByRole("button", { name: "By day" }).click();
    assert.equal(await figures.getByLabel(/^Money per day/).inputValue(), "1");
    await figures.getByLabel("Tokens per day").fill("0");
    await figures.getByText("Write a number above zero").waitFor();
    await figures.getByLabel("Tokens per day").fill("5000000");
    await figures.getByLabel(/^Money per day/).fill("");
    await figures.getByRole("button", { name: "Save the budget" }).click();
    await figures.getByText(/of 5\.0M tokens/).waitFor();
    await picture(page, "cost");
    await checkAccessibility(page, "cost");
    const settings = readFileSync(path.join(stage.workspace, "../home/config.toml"), "utf8");
    assert.match(settings, /tokens_per_day = 5000000/);
    assert.doesNotMatch(settings, /money_per_day/);
    assert.deepEqual(complaints, []);
  });

  test("on a phone the new screens fit", async () => {
    const phone = await stage.newPage("admin", { viewport: sizes.phone, hasTouch: true, isMobile: true });
    for (const [address, name] of [
      ["/settings/cost", "cost"],
      ["/search/lighthouse", "search"],
    ] as const) {
      await phone.goto(stage.url + address);
      await phone
        .getByText(/of 5\.0M tokens|1 session/)
        .first()
        .waitFor();
      assert.equal(await phone.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"), false, name);
      await picture(phone, `${name}-phone`);
      await checkAccessibility(phone, `${name} on a phone`);
    }
    await phone.context().close();
  });
});
