/** A person's whole story with the manager: real engine, scripted model, Debian's Chromium. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { realEngine, scratchFolder, startManager, type TestManager } from "../support/manager.ts";
import { checkAccessibility, openBrowser, pageFolder, patienceMs, picture, watchConsole } from "./page.ts";

const scenario = `
pace: 2
turns:
  - user: stream
    steps:
      - reason: "**Looking around**\\n\\nFirst I look at the folder."
      - say: "Here is a *streamed* answer with \`code\`.\\n\\n\`\`\`ts\\nconst answer: number = 42;\\n\`\`\`\\n\\n- one\\n- two"
  - user: slow story
    steps:
      - pace: 40
      - say: "Once upon a time there was a very long sentence that took its time to arrive, word by word, so that anyone could reload the page in the middle of it and still read all of it afterwards."
  - user: touch
    steps:
      - run: "touch made-by-agent.txt && echo done"
      - say: "Made: {{output}}"
  - user: twice
    steps:
      - run: "touch first.txt"
      - say: "The command ended: {{output}}"
  - user: patch
    steps:
      - patch: "*** Begin Patch\\n*** Add File: notes.md\\n+# Notes\\n+One line\\n*** End Patch"
      - say: Patched.
  - user: improve
    steps:
      - patch: "*** Begin Patch\\n*** Update File: notes.md\\n@@\\n-One line\\n+A better line\\n*** End Patch"
      - say: Improved.
  - user: question
    steps:
      - ask: Which colour?
        header: Colour
        options: [Red, Green]
      - say: "You chose {{output}}"
  - user: ticket
    steps:
      - call: lookup_ticket
        with: { id: ABC-123 }
      - say: "The ticket says: {{output}}"
  - user: plan
    steps:
      - plan: [{ step: Read, status: completed }, { step: Write, status: in_progress }, Test]
      - say: That is the plan.
`;

let browser: Browser | undefined;
let manager: TestManager;
let remove = (): void => {};
let context: BrowserContext;
let page: Page;
let complaints: string[] = [];

before(async () => {
  browser = await openBrowser();
  const scratch = scratchFolder();
  remove = scratch.remove;
  const { engine, close } = realEngine(scratch.folder, scratch.workspace, scenario);
  manager = await startManager({ engine, folder: scratch.folder, workspace: scratch.workspace, page: pageFolder, onClose: close });
  if (browser === undefined) return;
  context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  page = await context.newPage();
  context.setDefaultTimeout(patienceMs);
  complaints = watchConsole(page);
});
after(async () => {
  await browser?.close();
  for (const warning of manager.warnings) console.log(warning);
  await manager.close();
  remove();
});

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };
const send = async (text: string): Promise<void> => {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
};
const idle = (on = page): Promise<void> => on.getByRole("button", { name: "Stop the turn" }).waitFor({ state: "detached" });

test("a stranger sees only the sign-in page, and a link works once", skip, async () => {
  await page.goto(manager.url);
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  await picture(page, "01-sign-in");
  await checkAccessibility(page, "sign-in");
  await page.getByLabel("Sign-in link or code").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("was used already").waitFor();
  const { code } = manager.backend.access.makeLink("admin", undefined);
  await page.goto(`${manager.url}/#sign-in=${code}`);
  await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  assert.doesNotMatch(page.url(), /sign-in/);
  const [cookie] = await context.cookies();
  assert.ok(cookie?.httpOnly === true && cookie.sameSite === "Strict");
  const other = await browser?.newPage();
  other?.setDefaultTimeout(patienceMs);
  await other?.goto(`${manager.url}/#sign-in=${code}`);
  await other?.getByText("was used already").waitFor();
  await other?.close();
});

test("a message starts a session and its answer streams in", skip, async () => {
  await picture(page, "02-home");
  await checkAccessibility(page, "home");
  await send("stream something");
  await page.getByText("streamed", { exact: true }).waitFor();
  await page.locator("pre code", { hasText: "const answer" }).waitFor();
  await idle();
  await page.getByRole("heading", { level: 1, name: "stream something" }).waitFor();
  assert.equal(await page.locator(".user-message").count(), 1);
  await picture(page, "03-streamed");
  await checkAccessibility(page, "session");
});

test("a command waits for approval, and the card shows who answered", skip, async () => {
  await send("touch a file");
  const card = page.getByRole("region", { name: "Run this command?" });
  await card.waitFor();
  assert.equal(await page.title(), "(1) Parley");
  await picture(page, "04-approval");
  await checkAccessibility(page, "approval");
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await page.getByText(/^Made:/).waitFor();
  assert.ok(existsSync(path.join(manager.workspace, "made-by-agent.txt")));
  await page.locator(".resolution", { hasText: "Allowed by Chrome" }).waitFor();
  assert.equal(await page.title(), "Parley");
  await idle();
});

test("a refusal with a note goes to the agent, and nothing was run", skip, async () => {
  await send("twice please");
  const card = page.getByRole("region", { name: "Run this command?" });
  await card.getByRole("button", { name: "Do this instead…" }).click();
  await card.getByRole("textbox").fill("stream instead");
  await card.getByRole("button", { name: "Decline and send" }).click();
  const turn = page.locator(".turn", { hasText: "stream instead" });
  await turn.getByText(/^The command ended|^streamed$/).waitFor();
  await idle();
  assert.ok(!existsSync(path.join(manager.workspace, "first.txt")));
});

test("a change of files is shown before it is made, and afterwards in the panel", skip, async () => {
  await send("patch it");
  const card = page.getByRole("region", { name: "Apply these changes?" });
  await card.getByText("# Notes").waitFor();
  await picture(page, "05-file-change");
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await page.getByText("Patched.").waitFor();
  await idle();
  await page.getByRole("button", { name: "Changes" }).first().click();
  const panel = page.getByRole("complementary", { name: "Session details" });
  await panel.getByText("notes.md").first().waitFor();
  await panel.getByRole("row").filter({ hasText: "One line" }).hover();
  await panel.getByRole("button", { name: "Comment on line 2" }).click();
  await panel.getByRole("textbox", { name: "Comment" }).fill("Please stream two lines");
  await panel.getByRole("button", { name: "Add comment" }).click();
  await picture(page, "06-changes");
  await checkAccessibility(page, "changes");
  await panel.getByRole("button", { name: "Send as one message" }).click();
  const turn = page.locator(".turn", { hasText: "line 2: Please stream two lines" });
  await turn.getByText("streamed", { exact: true }).waitFor();
  await idle();
});

test("two turns on one file are one diff of the session, from before the first to now", skip, async () => {
  await send("improve the notes");
  await page
    .getByRole("region", { name: "Apply these changes?" })
    .getByRole("button", { name: /^Allow once/ })
    .click();
  await page.getByText("Improved.").waitFor();
  await idle();
  const panel = page.getByRole("complementary", { name: "Session details" });
  await panel.getByRole("row").filter({ hasText: "One line" }).waitFor();
  await panel.getByRole("button", { name: "Session", exact: true }).click();
  await panel.getByRole("row").filter({ hasText: "One line" }).waitFor({ state: "detached" });
  await panel.getByRole("row").filter({ hasText: "A better line" }).waitFor();
  assert.equal(await panel.getByRole("region", { name: "New: notes.md" }).count(), 1);
  // The other one is the empty file that a command created in an earlier turn.
  assert.match(await panel.locator(".panel-count").innerText(), /^2 files \+2/);
  await picture(page, "06b-session-changes");
  await panel.getByRole("button", { name: "Close the panel" }).click();
});

test("a question is answered with free text", skip, async () => {
  await send("question for me");
  const card = page.getByRole("region", { name: "The agent has a question" });
  await card.getByText("Which colour?").waitFor();
  await picture(page, "07-question");
  await checkAccessibility(page, "question");
  await card.getByLabel("Something else").check();
  await card.getByLabel(/^Your answer/).fill("Blue");
  await card.getByRole("button", { name: "Send answer" }).click();
  await page.getByText(/You chose .*Blue/).waitFor();
  await idle();
});

test("a client tool is answered by hand", skip, async () => {
  const dynamicTools = [
    {
      name: "lookup_ticket",
      description: "Finds a ticket by its id",
      inputSchema: { type: "object", properties: { id: { type: "string" } } },
    },
  ];
  const { body } = await manager.call("POST /api/sessions", { cwd: manager.workspace, dynamicTools });
  const { sessionId } = body["session"] as { sessionId: string };
  await page.goto(`${manager.url}/s/${sessionId}`);
  await send("ticket please");
  const card = page.getByRole("region", { name: "Answer the tool lookup_ticket" });
  await card.getByText("Finds a ticket by its id").waitFor();
  await card.getByText("ABC-123").first().waitFor();
  await card.getByLabel("Result, as text").fill("Ticket ABC-123 is open.");
  await picture(page, "12-tool-call");
  await checkAccessibility(page, "tool call");
  await card.getByRole("button", { name: "Send result" }).click();
  await page.getByText(/The ticket says: .*is open/).waitFor();
  await idle();
});

test("at 320 pixels, as at 400 % zoom, nothing has to be scrolled sideways", skip, async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const place of ["/", "/inbox", "/settings/general", "/settings/rules", "/settings/audit"]) {
    await page.goto(manager.url + place);
    await page.locator("main h1").first().waitFor();
    assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 320, place);
  }
  await page.getByRole("button", { name: /^Session list/ }).click();
  await page.locator(".session-open").first().click();
  await page.locator(".turn").first().waitFor();
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 320, "session");
  await picture(page, "13-narrow");
  await page.setViewportSize({ width: 1280, height: 860 });
});

test("a reload in the middle of a turn loses nothing and doubles nothing", skip, async () => {
  await send("tell a slow story");
  await page.getByText(/Once upon a time there was/).waitFor();
  await page.reload();
  await page.getByText(/Once upon a time there was/).waitFor();
  await page.getByText(/read all of it afterwards\./).waitFor();
  await idle();
  assert.equal(
    await page.getByText("tell a slow story", { exact: true }).count(),
    1 + (await page.locator(".session-row").getByText("tell a slow story").count()),
  );
  assert.equal(await page.getByText(/Once upon a time/).count(), 1);
});

test("a second browser answers first; the server notifies the first one", skip, async () => {
  const { code } = manager.backend.access.makeLink("approve", "Ada's phone");
  const phone = await browser?.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" });
  assert.ok(phone !== undefined);
  phone.setDefaultTimeout(patienceMs);
  const small = await phone.newPage();
  await small.goto(`${manager.url}/#sign-in=${code}`);
  await small.getByRole("heading", { name: "What should we work on?" }).waitFor();
  await send("touch it again");
  await page.getByRole("region", { name: "Run this command?" }).waitFor();
  await small.goto(`${manager.url}/inbox`);
  const card = small.getByRole("region", { name: "Run this command?" });
  await card.waitFor();
  await picture(small, "08-phone-inbox");
  await checkAccessibility(small, "phone inbox, dark");
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await page.locator(".resolution", { hasText: "Allowed by Ada's phone" }).first().waitFor();
  await idle();
  await small
    .getByRole("button", { name: /^touch it again|stream something/ })
    .first()
    .waitFor({ state: "detached" });
  await picture(small, "09-phone-done");
  await phone.close();
});

test("the keyboard alone is enough", skip, async () => {
  await page.keyboard.press("Alt+n");
  await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  await page.getByLabel("Message", { exact: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("touch by keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Run this command?" }).waitFor();
  await page.keyboard.press("Alt+a");
  await page.locator("[data-request]:focus").waitFor();
  await page.keyboard.press("n");
  await page.locator(".resolution", { hasText: "Declined by" }).first().waitFor();
  await idle();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search commands and sessions" }).fill("inbox");
  await picture(page, "10-palette");
  await checkAccessibility(page, "palette");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
  await page.keyboard.press("Alt+1");
  await page.getByRole("heading", { level: 1, name: "touch by keyboard" }).waitFor();
});

test("a session is renamed, archived, brought back and deleted", skip, async () => {
  await page.goto(manager.url);
  await page.locator(".session-open").first().click();
  await page.getByRole("button", { name: "Session actions" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByLabel("Title").fill("A better name");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "A better name" }).waitFor();
  await page.getByRole("button", { name: "Session actions" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.locator(".session-row", { hasText: "A better name" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Show:/ }).click();
  await page.getByRole("option", { name: "Archive" }).click();
  await page.locator(".session-row", { hasText: "A better name" }).waitFor();
  await page.getByRole("button", { name: "Session actions" }).click();
  await page.getByRole("menuitem", { name: "Bring back" }).click();
  await page.locator(".session-row", { hasText: "A better name" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Show:/ }).click();
  await page.getByRole("option", { name: "All sessions" }).click();
  await page.locator(".session-row", { hasText: "A better name" }).waitFor();
  await page.getByRole("button", { name: "Session actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByLabel(/to confirm/).fill("delete");
  await picture(page, "11-delete");
  await checkAccessibility(page, "delete dialog");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  await page.locator(".session-row", { hasText: "A better name" }).waitFor({ state: "detached" });
});

test("a device that is struck from the list is out at once", skip, async () => {
  const device = manager.backend.access.devices(undefined).find((d) => d.scope === "admin");
  assert.ok(device !== undefined);
  manager.backend.access.revoke(device.deviceId);
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  assert.deepEqual(complaints, []);
});
