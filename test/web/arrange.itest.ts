/** Arranging sessions on the page, kept by the engine: the overview, pins, sections, snoozing, read marks, several at once, sub-agents. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { checkAccessibility, picture, watchConsole } from "./page.ts";
import { idle, Stage, sizes } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: COUNT the files
    steps:
      - run: "while [ ! -f go ]; do sleep 0.05; done"
      - say: "There are 42."
  - user: lead
    steps:
      - call: spawn_agent
        with: { message: "COUNT the files" }
      - say: "Started it."
  - user: patch please
    steps:
      - patch: "*** Begin Patch\\n*** Add File: noted.md\\n+one\\n+two\\n*** End Patch"
      - say: Patched.
  - user: ask me
    steps:
      - ask:
          - { id: colour, header: Colour, question: "Which colour?", options: [{ label: Red, description: "Warm" }] }
      - say: "Thank you."
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("arranging sessions", skip, () => {
  let stage: Stage;
  let page: Page;
  let complaints: string[] = [];

  before(async () => {
    stage = await Stage.open(scenario);
    page = await stage.newPage();
    complaints = watchConsole(page);
  });
  after(() => stage.close());

  const row = (title: string): Locator => page.locator(".session-row", { hasText: title });
  const group = (name: string): Locator => page.getByRole("region", { name });
  const menu = async (title: string, item: string): Promise<void> => {
    await row(title).first().hover();
    await page
      .getByRole("navigation", { name: "Sessions" })
      .getByRole("button", { name: `Actions for ${title}` })
      .click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  /** A session that was answered and looked at. */
  const done = async (text: string): Promise<void> => {
    await stage.begin(page, text);
    await page.getByText(`Heard: ${text}`).waitFor();
    await idle(page);
  };

  test("the start shows what needs you, what runs, and what is done and unread, with lines and branch", async () => {
    await stage.begin(page, "patch please");
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await page.getByText("Patched.").waitFor();
    await idle(page);
    await row("patch please").getByText("+2").waitFor();
    await row("patch please").getByText("−0").waitFor();
    await page.keyboard.press("Alt+r");
    await group("Done and unread").getByText("patch please").waitFor();
    await group("Done and unread").getByText("+2").waitFor();
    await stage.begin(page, "ask me");
    await page.getByText("Which colour?").first().waitFor();
    await stage.home(page);
    await group("Needs you").getByText("ask me").first().waitFor();
    await picture(page, "arrange-overview");
    await checkAccessibility(page, "the overview");
    await group("Needs you")
      .getByRole("button", { name: /^ask me/ })
      .click();
    await page.locator("[data-request]:focus").waitFor();
    await page.getByRole("radio", { name: /Red/ }).check();
    await page.getByRole("button", { name: "Send answer" }).click();
    await page.getByText("Thank you.").waitFor();
    await idle(page);
    await stage.home(page);
    await group("Needs you").waitFor({ state: "detached" });
    await group("Done and unread").getByRole("button", { name: "Mark all as read" }).click();
    await group("Done and unread").waitFor({ state: "detached" });
  });

  test("a pin and a section are the engine's: another browser and a restart show the same", async () => {
    await done("keep me");
    await page.keyboard.press("Alt+p");
    await page.getByRole("button", { name: /^Pinned 1/ }).waitFor();
    await done("for later");
    await menu("for later", "Put into a section…");
    const dialog = page.getByRole("dialog", { name: "Put into a section" });
    await dialog.getByLabel("New section").fill("Some day");
    await checkAccessibility(page, "the dialog of sections");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: /^Some day 1/ }).waitFor();
    await stage.restart();
    const other = await stage.newPage();
    for (const name of [/^Pinned 1/, /^Some day 1/]) await other.getByRole("button", { name }).waitFor();
    await other.getByRole("region", { name: "Pinned" }).getByRole("button", { name: "Unpin keep me" }).click();
    await page.getByRole("button", { name: /^Pinned 1/ }).waitFor({ state: "detached" });
    await other.context().close();
    await page.getByRole("button", { name: /^Some day 1/ }).hover();
    await page.getByRole("button", { name: "Section Some day" }).click();
    await page.getByRole("menuitem", { name: "Remove section" }).click();
    await page.getByRole("button", { name: /^Some day/ }).waitFor({ state: "detached" });
    await row("for later").waitFor();
  });

  test("what is read in one browser is read in the other", async () => {
    await done("read me once");
    await stage.home(page);
    await menu("read me once", "Mark as unread");
    const other = await stage.newPage();
    const theirs = other.locator(".session-row", { hasText: "read me once" });
    await theirs.getByText("Done, unread").waitFor();
    await theirs.getByRole("button").first().click();
    await row("read me once").getByText("Done, unread").waitFor({ state: "detached" });
    await other.context().close();
  });

  test("a snoozed session leaves the list, and can be brought back", async () => {
    await done("not now");
    await page.keyboard.press("Alt+s");
    const dialog = page.getByRole("dialog", { name: "Snooze this session" });
    await picture(page, "arrange-snooze");
    await checkAccessibility(page, "the dialog of snoozing");
    await dialog.getByRole("button", { name: /^Until Monday/ }).click();
    await row("not now").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Show:/ }).click();
    await page.getByRole("option", { name: "Snoozed" }).click();
    await menu("not now", "End the snooze");
    await page.getByRole("button", { name: /^Show:/ }).click();
    await page.getByRole("option", { name: "All sessions" }).click();
    await row("not now").waitFor();
  });

  test("several sessions are archived at once, and brought back at once", async () => {
    await done("old one");
    await done("old two");
    await stage.home(page);
    await page.getByRole("button", { name: "Select sessions" }).click();
    for (const title of ["old one", "old two"]) await page.getByRole("checkbox", { name: `Select ${title}` }).check();
    const bar = page.getByRole("toolbar", { name: "Selected sessions" });
    await bar.getByText("2 sessions selected").waitFor();
    await picture(page, "arrange-several");
    await checkAccessibility(page, "selecting");
    await bar.getByRole("button", { name: "Archive" }).click();
    await row("old one").waitFor({ state: "detached" });
    await row("old two").waitFor({ state: "detached" });
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await row("old one").waitFor();
    await row("old two").waitFor();
  });

  test("sub-agents are a tree in the list and in the session; one can be opened, seen and stopped", async () => {
    await stage.begin(page, "lead");
    await page.getByRole("button", { name: /1 sub-agents working/ }).click();
    const panel = page.getByRole("complementary", { name: "Session details" });
    const tree = panel.getByRole("list", { name: "Agents of this session" });
    await tree.getByText("Main agent").waitFor();
    const agent = tree.getByRole("listitem").nth(1);
    await agent.getByText("Working").or(agent.getByText("Needs you")).first().waitFor();
    await picture(page, "arrange-agents");
    await checkAccessibility(page, "the tree of agents");
    await page.locator(".session-child", { hasText: "COUNT the files" }).waitFor();
    await agent.getByRole("button").first().click();
    await page.getByText("Sub-agent of").waitFor();
    await page.locator(".user-message, .turn").getByText("COUNT the files").first().waitFor();
    await page.keyboard.press("Alt+u");
    await page
      .getByRole("list", { name: "Agents of this session" })
      .getByRole("button", { name: /^Stop / })
      .click();
    await page.getByText("Stopped", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test("on a phone nothing is cut off", async () => {
    const phone = await stage.newPage("admin", { viewport: sizes.phone, hasTouch: true, isMobile: true });
    await phone.getByRole("button", { name: /^Session list/ }).waitFor();
    const wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert.equal(await phone.evaluate(wider), false);
    await picture(phone, "arrange-phone");
    await checkAccessibility(phone, "the start on a phone");
    await phone.context().close();
  });
});
