/** The plays: each drives the window as a person would and checks what came of it, on the screen, on the disk and on the wire. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Stage } from "./model.ts";
import { eventually, type Window } from "./window.ts";
import { assertOrder, questions, type WireLine } from "./wire.ts";

export interface Play {
  readonly window: Window;
  readonly stage: Stage;
  /** The wire since the play began; empty where nobody records. */
  wire(): readonly WireLine[];
}
export type Plays = Readonly<Record<string, (play: Play) => Promise<void>>>;

const made = ({ stage }: Play, file: string): boolean => existsSync(path.join(stage.project, file));
const text = ({ stage }: Play, file: string): string => readFileSync(path.join(stage.project, file), "utf8");

async function answered(play: Play, method: string, answer: Readonly<Record<string, unknown>>): Promise<void> {
  await eventually(`an answer to ${method}`, () => questions(play.wire()).some((q) => q.method === method && q.answer !== undefined));
  const found = questions(play.wire()).find((q) => q.method === method && q.answer !== undefined)?.answer;
  assert.deepEqual(found?.error ?? found?.result, answer);
}

/** The whole sequence of the editor document for one command. */
const commandSequence = [
  "turn/start",
  "turn/started",
  "item/started",
  "item/commandExecution/requestApproval",
  "<item/commandExecution/requestApproval>",
  "item/commandExecution/outputDelta",
  "item/completed",
  "turn/completed",
];

export const approvals: Plays = {
  async "a command is approved on its card"(play) {
    const { window } = play;
    await window.say("run the tests");
    const card = await window.card();
    for (const fact of [
      "touch ran.txt",
      "Running test suite to verify changes",
      play.stage.project,
      "high",
      "leaves it: the command gets all of your own rights",
    ])
      await card.getByText(fact).first().waitFor();
    await window.statusSays("Parley 1");
    await window.shot("command-card");
    assert.equal(made(play, "ran.txt"), false);
    await card.getByRole("button", { name: "Allow once" }).click();
    await window.sees(/The tests ran/);
    await window.noCard();
    assert.equal(made(play, "ran.txt"), true);
    const decision = (await window.panel()).locator(".turn", { hasText: "run the tests" }).last().locator(".resolution");
    assert.match(await decision.innerText(), /^Allowed by .+ · Command: touch ran\.txt/, "the decision stands at its command");
    await window.shot("command-approved");
    await eventually("the whole sequence on the wire", () => play.wire().some((line) => line.message.method === "turn/completed"));
    assertOrder(play.wire(), commandSequence);
    await answered(play, "item/commandExecution/requestApproval", { decision: "accept" });
  },

  async "a command is declined on its card"(play) {
    const { window } = play;
    await window.say("twice");
    for (let left = 2; left > 0; left--) {
      const card = await window.card();
      const id = await card.getAttribute("data-request");
      await card.getByRole("button", { name: "Decline", exact: true }).click();
      await (await window.panel()).locator(`[data-request="${id}"]`).waitFor({ state: "detached" });
    }
    await window.sees("Both ran.");
    assert.equal(made(play, "twice.txt"), false);
    await answered(play, "item/commandExecution/requestApproval", { decision: "decline" });
  },

  async "a command is approved for the session, and the same one runs unasked"(play) {
    const { window } = play;
    await window.say("twice");
    const card = await window.card();
    const id = await card.getAttribute("data-request");
    await card.getByRole("button", { name: "Allow for session" }).click();
    const panel = await window.panel();
    // The second may have been asked at the same time as the first; from the next turn on nobody asks.
    const second = panel.locator(`section.card:not([data-request="${id}"])`).getByRole("button", { name: "Allow for session" });
    await second.or(panel.locator(".session").getByText("Both ran.")).first().waitFor();
    if (await second.isVisible()) await second.click();
    await window.sees("Both ran.");
    const before = questions(play.wire()).length;
    await window.reply("twice again");
    await eventually("four lines", () => text(play, "twice.txt").split("\n").length === 5);
    assert.equal(questions(play.wire()).length, before);
    await answered(play, "item/commandExecution/requestApproval", { decision: "acceptForSession" });
  },

  async "a turn is stopped while it waits, and its request goes away"(play) {
    const { window } = play;
    await window.say("take your time");
    await window.card();
    await window.command("Parley: Stop the Running Turn");
    await window.noCard();
    await eventually("the turn ended as interrupted", () =>
      play.wire().some(({ message }) => message.method === "turn/completed" && JSON.stringify(message.params).includes("interrupted")),
    );
  },
};

export const modal: Plays = {
  async "a command is approved in a modal dialog"(play) {
    const { window } = play;
    await window.say("run the tests");
    await window.dialog.waitFor();
    for (const fact of [
      "Run this command outside the sandbox?",
      "Command: touch ran.txt",
      `Folder: ${play.stage.project}`,
      "Reason: Running test suite",
      "Risk: high",
    ])
      await window.dialog.getByText(fact).first().waitFor();
    for (const decision of ["Allow once", "Allow for session", "Decline", "Stop turn", "Decide later"])
      await window.dialog.getByRole("button", { name: decision, exact: true }).waitFor();
    await window.shot("command-modal");
    await window.dialog.getByRole("button", { name: "Allow once" }).click();
    await window.sees(/The tests ran/);
    await answered(play, "item/commandExecution/requestApproval", { decision: "accept" });
  },
};

export const changes: Plays = {
  async "a file change is accepted in the diff editor's title bar"(play) {
    const { window } = play;
    await window.say("edit the app");
    await window.titleAction("Accept Change").waitFor();
    await window.page.locator(".tab", { hasText: "app.ts: proposed change (1 of 2)" }).waitFor();
    await window.page.locator(".modified .view-line", { hasText: "console.error(error)" }).waitFor();
    await window.shot("diff-accept");
    const before = text(play, "src/app.ts");
    await window.titleAction("Accept Change").click();
    await window.sees(/The change is done/);
    assert.notEqual(text(play, "src/app.ts"), before);
    assert.equal(made(play, "src/errors.ts"), true);
    await window.page.locator(".tab", { hasText: "proposed" }).waitFor({ state: "detached" });
    await answered(play, "item/fileChange/requestApproval", { decision: "accept" });
  },

  async "a file change is declined by its key, after a look at the second file"(play) {
    const { window } = play;
    await window.say("edit the app");
    await window.titleAction("Decline Change").waitFor();
    await window.page.locator(".tab", { hasText: "app.ts: proposed" }).click();
    await window.command("Parley: Next Changed File");
    await window.page.locator(".tab", { hasText: "errors.ts: proposed new file (2 of 2)" }).waitFor();
    await window.page.locator(".modified .view-lines").first().click();
    await window.page.keyboard.press("Control+Backspace");
    await window.page.locator(".tab", { hasText: "proposed" }).first().waitFor({ state: "detached" });
    await window.sees(/The change is done/);
    assert.equal(made(play, "src/errors.ts"), false);
    await answered(play, "item/fileChange/requestApproval", { decision: "decline" });
  },
};

/** The three kinds of questions, under whichever names the server asks. */
export const asking: Plays = {
  async "structured questions: two steps, Back, and Other"(play) {
    const { window } = play;
    await window.say("ask me two things");
    await window.title("Which backend framework?");
    await window.quickInput.getByText("(1/2)").waitFor();
    await window.shot("question-pick");
    await window.pick("Koa");
    await window.title("Database preference?");
    await window.quickInput.getByRole("button", { name: "Back" }).click();
    await window.title("Which backend framework?");
    await window.pick("Other");
    await window.write("Hono");
    await window.title("Database preference?");
    await window.shot("question-second");
    await window.pick("PostgreSQL");
    await window.sees(/You chose/);
    await window.quickInputGone();
    await window.noCard();
    const answers = JSON.stringify(questions(play.wire()).map((q) => q.answer?.result));
    assert.match(answers, /Hono.*PostgreSQL/);
  },

  async "a free-form question: one line to write"(play) {
    const { window } = play;
    await window.say("ask me openly");
    await window.title("What is the target deployment platform?");
    await window.shot("question-open");
    await window.write("AWS Lambda with Node.js");
    await window.sees(/Noted: .*AWS Lambda/);
  },

  async "a questionnaire: tabs, one choice and several"(play) {
    const { window } = play;
    await window.say("questionnaire");
    const card = await window.card();
    await card.getByRole("tab").nth(1).waitFor();
    await card.getByText("Select deployment target").waitFor();
    await card.getByText("GCP", { exact: true }).click();
    await window.shot("questionnaire-first");
    await card.getByRole("tab").nth(1).click();
    await card.getByText("Logging", { exact: true }).click();
    await card.getByText("Alerts", { exact: true }).click();
    await window.shot("questionnaire-second");
    await card.getByRole("button", { name: "Send answer" }).click();
    await window.sees(/Filled in/);
    assert.match(JSON.stringify(questions(play.wire()).map((q) => q.answer?.result)), /GCP.*Logging.*Alerts/);
  },

  async "an MCP server's form"(play) {
    const { window } = play;
    await window.say("use the notes");
    await window.quickInput.locator('input[placeholder^="Your answer"]').waitFor();
    await window.shot("elicitation");
    await window.write("Ada");
    await window.sees(/The server heard: .*Ada/);
    await answered(play, "mcpServer/elicitation/request", { action: "accept", content: { name: "Ada" } });
  },

  async "Escape cancels a question with the document's error"(play) {
    const { window } = play;
    await window.say("ask me openly");
    await window.title("What is the target deployment platform?");
    await window.page.keyboard.press("Escape");
    await window.sees(/Noted/);
    await window.noCard();
    const answer = questions(play.wire()).at(-1)?.answer;
    assert.deepEqual(answer?.error, { code: -32_000, message: "User cancelled input" });
  },

  async "a question put off waits on its card and is answered there"(play) {
    const { window } = play;
    await window.say("ask me openly");
    await window.title("What is the target deployment platform?");
    await window.quickInput.getByRole("button", { name: "Answer later" }).click();
    await window.quickInputGone();
    const card = await window.card();
    await card.locator("textarea").fill("a Raspberry Pi");
    await card.getByRole("button", { name: "Send answer" }).click();
    await window.sees(/Noted: .*Raspberry/);
  },
};

/** The rest of the window: notifications, tabs, the walkthrough, the selection. */
export const surroundings: Plays = {
  async "a notification tells what waits while the panel is out of sight"(play) {
    const { window } = play;
    await window.say("in a moment");
    await window.page.keyboard.press("Control+b");
    const toast = window.toasts.filter({ hasText: "needs you" }).first();
    await toast.waitFor();
    await window.shot("notification");
    await toast.getByRole("button", { name: "Show" }).click();
    await (await window.card()).getByRole("button", { name: "Allow once" }).click();
    await window.sees("Thank you for waiting.");
  },

  async "the panel in a tab: one request, two cards, one answer"(play) {
    const { window } = play;
    await window.say("run the tests");
    await window.card();
    await window.command("Parley: Open in an Editor Tab");
    const tab = await window.otherPanel();
    await tab
      .getByRole("button", { name: /^Inbox|Session list/ })
      .first()
      .click();
    await tab.locator(".session-row .session-open").first().click();
    await tab.locator("section.card").first().waitFor();
    await window.shot("panel-in-a-tab");
    await tab.getByRole("button", { name: "Decline", exact: true }).first().click();
    await window.noCard();
    await tab.locator("section.card").waitFor({ state: "detached" });
    await answered(play, "item/commandExecution/requestApproval", { decision: "decline" });
    await window.page.keyboard.press("Control+F4");
  },

  async "the selection goes into the message with its lines"(play) {
    const { window } = play;
    await window.say("show me the file");
    await window.sees(/Shown: /);
    await window.page.locator(".monaco-editor .view-line", { hasText: "export function main" }).first().click();
    await window.page.keyboard.press("Control+l");
    await window.page.keyboard.press("Control+Alt+k");
    await eventually("the composer holds the selection", async () => {
      const text = await (await window.panel()).locator("textarea#composer").inputValue();
      return text.includes("src/app.ts:3-4") && text.includes("export function main");
    });
    await (await window.panel()).locator("textarea#composer").fill("");
  },

  async "the walkthrough opens"({ window }) {
    await window.command("Parley: Get Started");
    await window.page.getByText("Get Started with Parley").first().waitFor();
    await window.page.getByText("Decide what it may do").first().waitFor();
    await window.shot("walkthrough");
  },
};

export const tools: Plays = {
  async "the agent renames a symbol once the person agrees, and reads the problems"(play) {
    const { window } = play;
    await window.say("rename the function");
    await window.title("Rename to start in 1 file(s)?");
    await window.shot("rename-confirm");
    assert.match(text(play, "src/app.ts"), /function main/);
    await window.pick("Rename");
    await window.sees(/Rename: Renamed to start/);
    await eventually("the file is saved", () => text(play, "src/app.ts").includes("export function start(): void"));
    await window.sees(/Problems: .*app\.ts:1:\d+ error/);
  },

  async "the agent opens a file in the editor"(play) {
    const { window } = play;
    await window.say("show me the file");
    await window.page.locator(".tab", { hasText: "app.ts" }).waitFor();
    await window.sees(/Shown: .*app\.ts/);
  },
};
