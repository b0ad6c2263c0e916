/** Text, attachments and comments that were not sent yet survive everything; and changes are shown whoever made them. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { checkAccessibility, picture, until } from "./page.ts";
import { composer, idle, Stage, send } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: edit by command
    steps:
      - run: "sed -i s/old/new/ edited.txt && rm doomed.txt"
      - say: "It is done now."
  - user: ask me
    steps:
      - ask:
          - { id: why, header: Why, question: "Why?", options: [] }
          - { id: code, header: Code, question: "The code?", isSecret: true, options: [] }
      - say: "Thank you."
  - user: /.*/
    steps:
      - say: "Heard it."
`;
/** Runs in the page: files being dragged; the picture is too large for the browser's local storage. */
const dragged = (kind: "text" | "picture"): string => `(() => {
  const data = new DataTransfer();
  data.items.add(${kind === "text" ? 'new File(["dropped text"], "dropped.txt", { type: "text/plain" })' : 'new File([new Uint8Array(6 * 1024 * 1024)], "large.png", { type: "image/png" })'});
  return data;
})()`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("what is not sent yet", skip, () => {
  let stage: Stage;
  let page: Page;
  let address = "";

  before(async () => {
    stage = await Stage.open(scenario);
    page = await stage.newPage();
    writeFileSync(path.join(stage.workspace, "edited.txt"), "an old line\n");
    writeFileSync(path.join(stage.workspace, "doomed.txt"), "bye\n");
  });
  after(() => stage.close());

  const panel = (): Locator => page.getByRole("complementary", { name: "Session details" });
  const drop = async (kind: "text" | "picture"): Promise<void> =>
    page.locator("main").dispatchEvent("drop", { dataTransfer: await page.evaluateHandle(dragged(kind)) });

  async function showsChanges(): Promise<void> {
    await panel().getByText("2 files").waitFor();
    await panel().getByText("edited.txt").first().waitFor();
    await panel().getByText("doomed.txt").first().waitFor();
    await panel().getByText("an new line").waitFor();
  }

  test("changes that a command made are shown, for the turn and the session, over a restart too", async () => {
    await stage.begin(page, "edit by command");
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await page.getByText("It is done now.").waitFor();
    await idle(page);
    address = page.url();
    await page.getByRole("button", { name: "Changes", exact: true }).click();
    await showsChanges();
    await panel().getByText("In folders of more than 10,000 files, what commands change is not watched").waitFor();
    await picture(page, "unsent-changes");
    await checkAccessibility(page, "changes of a command");
    await panel().getByRole("button", { name: "Session", exact: true }).click();
    await showsChanges();
    await stage.restart();
    await page.goto(address);
    await showsChanges();
  });

  const isThere = async (): Promise<void> => {
    assert.equal(await composer(page).inputValue(), "half a thought");
    await page.getByRole("button", { name: "Remove dropped.txt" }).waitFor();
    await panel().getByText("1 comment").waitFor();
    await panel().getByText("a whole remark").waitFor();
    assert.equal(await panel().getByLabel("Comment", { exact: true }).inputValue(), "half a remark");
  };

  test("text, an attachment and comments on lines stay: elsewhere, over a reload, a lost line and a restart", async () => {
    await showsChanges();
    const comment = panel().getByRole("button", { name: /^Comment on line/ });
    await comment.first().click();
    await panel().getByLabel("Comment", { exact: true }).fill("a whole remark");
    await panel().getByRole("button", { name: "Add comment" }).click();
    await comment.nth(1).click();
    await panel().getByLabel("Comment", { exact: true }).fill("half a remark");
    await composer(page).fill("half a thought");
    await drop("text");
    await isThere();
    await picture(page, "unsent-all");
    await page.keyboard.press("Alt+n");
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await page.goBack();
    await isThere();
    await page.reload();
    await isThere();
    await page.context().setOffline(true);
    await isThere();
    await page.context().setOffline(false);
    await isThere();
    await stage.restart();
    await isThere();
    await page.reload();
    await isThere();
    await panel().getByRole("button", { name: "Cancel" }).click();
    await panel().getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Remove dropped.txt" }).click();
  });

  test("a message with a large picture that is sent without a line arrives once, also after a reload", async () => {
    await drop("picture");
    await page.getByRole("button", { name: "Remove large.png" }).waitFor();
    let isCut = true;
    await page.route("**/messages", (route) => (isCut ? route.abort() : route.continue()));
    await send(page, "look at this");
    await page.locator(".outgoing", { hasText: "look at this" }).getByText("cannot be reached").waitFor();
    await page.reload();
    await page.locator(".outgoing", { hasText: "look at this" }).waitFor();
    isCut = false;
    await page.getByText("Heard it.").waitFor();
    await idle(page);
    await until(async () => (await page.locator(".outgoing").count()) === 0, "it has left the outbox");
    assert.equal(await page.locator(".user-message", { hasText: "look at this" }).count(), 1);
    assert.equal(await page.locator(".user-message", { hasText: "look at this" }).locator("img").count(), 1);
    await page.unroute("**/messages");
  });

  test("an answer that was begun stays with its question; a secret only while the page lives", async () => {
    await stage.begin(page, "ask me");
    const why = page.getByLabel("Why?");
    const code = page.locator("input[type=password]");
    await why.fill("because");
    await code.fill("hunter2");
    await page.keyboard.press("Alt+n");
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await page.goBack();
    assert.equal(await why.inputValue(), "because");
    assert.equal(await code.inputValue(), "hunter2");
    await page.reload();
    await why.waitFor();
    assert.equal(await why.inputValue(), "because");
    assert.equal(await code.inputValue(), "");
    assert.doesNotMatch(await page.evaluate<string>("JSON.stringify(localStorage)"), /hunter2/);
    await code.fill("hunter2");
    await page.getByRole("button", { name: "Send answer" }).click();
    await page.getByText("Thank you.").waitFor();
    await until(async () => !/because/.test(await page.evaluate<string>("JSON.stringify(localStorage)")), "the draft is gone");
  });
});
