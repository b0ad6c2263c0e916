/** Plays about what people stay for: what goes along, going back, plans, settings, and the link with a terminal. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Terminal } from "../../../test/support/tmux.ts";
import type { Play, Plays } from "./plays.ts";
import { eventually, type Window } from "./window.ts";

const text = ({ stage }: Play, file: string): string => readFileSync(path.join(stage.project, file), "utf8");

/** Opens a file as people do: by its name. */
async function openFile({ page }: Window, name: string): Promise<void> {
  await page.keyboard.press("Control+p");
  await page.locator(".quick-input-widget input").first().fill(name);
  await page.locator(".quick-input-widget .monaco-list-row", { hasText: name }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".tab", { hasText: name }).first().waitFor();
}

const line = ({ page }: Window, content: string) => page.locator(".monaco-editor .view-line", { hasText: content }).first();

/** A terminal with the client in it, on the same home and folder as the window. */
function terminalBeside({ stage }: Play, t: { after(step: () => unknown): void }): Terminal {
  const folder = path.join(stage.folder, "terminal");
  if (!existsSync(folder)) {
    mkdirSync(folder);
    symlinkSync(stage.home, path.join(folder, "home"));
    symlinkSync(stage.project, path.join(folder, "work"));
  }
  return new Terminal(t, { folder, columns: 100, rows: 40 });
}

export const workplace: Plays = {
  async "a new session names the model that will run, and what is looked at goes along until it is left out"(play) {
    const { window } = play;
    await openFile(window, "app.ts");
    await window.command("Parley: New Session");
    const panel = await window.panel();
    await panel
      .getByRole("button", { name: /^Model/ })
      .getByText("scripted")
      .waitFor();
    await panel.getByText("src/app.ts").first().waitFor();
    await line(window, "export function main").click();
    await window.page.keyboard.press("Control+l");
    await panel.getByText("src/app.ts:3").first().waitFor();
    await window.shot("context");
    await window.say("hello");
    await window.sees("Hello from the written model.");
    await panel.locator(".user-message", { hasText: "hello" }).getByText("src/app.ts:3").waitFor();
    await eventually("the selection on the wire", () =>
      play
        .wire()
        .some(
          ({ message }) =>
            message.method === "turn/start" && JSON.stringify(message.params).includes("Selected in my editor, src/app.ts:3"),
        ),
    );
    await panel.getByRole("button", { name: /^Leave out src\/app\.ts/ }).click();
    const before = play.wire().length;
    await window.reply("hello again");
    await eventually("a message without it", () =>
      play
        .wire()
        .slice(before)
        .some(({ message }) => message.method === "turn/start" && !JSON.stringify(message.params).includes("app.ts")),
    );
    await window.shot("context-left-out");
  },

  async "a checkpoint brings the files and the conversation back"(play) {
    const { window } = play;
    const original = text(play, "src/app.ts");
    await window.say("edit the app");
    await window.titleAction("Accept Change").click();
    await window.sees(/The change is done/);
    await eventually("the change on disk", () => text(play, "src/app.ts").includes("console.error"));
    const panel = await window.panel();
    await panel
      .getByText(/Allowed/)
      .first()
      .waitFor();
    await window.shot("decision-at-its-item");
    await window.reply("hello");
    await window.sees("Hello from the written model.");
    const turn = panel.locator(".turn").first();
    await turn.hover();
    await turn.getByRole("button", { name: "Turn" }).click();
    await panel.getByRole("menuitem", { name: "Go back to before this turn" }).click();
    const dialog = panel.getByRole("dialog", { name: "Go back to before this?" });
    await window.shot("checkpoint");
    await dialog.getByText("Conversation and files").click();
    await dialog.getByRole("button", { name: "Go back" }).click();
    await eventually(
      "the file as it was",
      () => text(play, "src/app.ts") === original && !existsSync(path.join(play.stage.project, "src/errors.ts")),
    );
    await panel.locator(".session").getByText("The change is done").waitFor({ state: "detached" });
    await window.shot("checkpoint-restored");
  },

  async "plan mode is a switch of the composer, and settings have models, MCP servers and rules"(play) {
    const { window } = play;
    await window.command("Parley: New Session");
    const panel = await window.panel();
    const plan = panel.getByRole("button", { name: "Plan first" });
    await plan.click();
    assert.equal(await plan.getAttribute("aria-pressed"), "true");
    await panel.locator(".home textarea#composer").fill("hello");
    await panel.locator("textarea#composer").press("Enter");
    await window.sees("Hello from the written model.");
    await eventually("plan mode on the wire", () =>
      play.wire().some(({ message }) => JSON.stringify(message.params ?? {}).includes('"mode":"plan"')),
    );
    await panel
      .getByRole("button", { name: /Session list|Inbox/ })
      .first()
      .click();
    await panel
      .getByRole("button", { name: /^Settings/ })
      .first()
      .click();
    const tabs = panel.getByRole("navigation", { name: "Settings" });
    for (const [tab, fact] of [
      ["Model and account", "Set up a model"],
      ["MCP servers", "notes"],
      ["Approval rules", "rules"],
    ] as const) {
      await tabs.getByRole("button", { name: tab }).click();
      await panel.getByText(fact).first().waitFor();
      await window.shot(`settings-${tab.toLowerCase().replaceAll(" ", "-")}`);
    }
  },

  async "/ide in a terminal: the selection goes along there, files open here, and a change is decided here"(play) {
    const { window, stage } = play;
    const steps: (() => unknown)[] = [];
    const t = { after: (step: () => unknown) => void steps.push(step) };
    try {
      await openFile(window, "app.ts");
      const term = terminalBeside(play, t);
      await term.start("-a", "untrusted", "-s", "read-only"); // settings of its own: nothing is asked about the folder
      term.say("/ide");
      await term.until(/editor: src\/app\.ts/);
      await line(window, "export function main").click();
      await window.page.keyboard.press("Control+l");
      await term.until(/editor: src\/app\.ts:3/);
      term.say("edit the app");
      await term.until(/Make these changes\?[\s\S]*e in the editor/);
      assert.match(term.scrollback(), /\[src\/app\.ts:3/);
      term.keys("e");
      await window.titleAction("Accept Change").waitFor();
      await window.shot("change-of-a-terminal");
      await window.titleAction("Accept Change").click();
      await term.answered(/The change is done/);
      assert.match(term.scrollback(), /Decided in the editor: Yes, make them/);
      assert.match(text(play, "src/app.ts"), /console\.error/);
      await window.page.locator(".tab", { hasText: "proposed change" }).waitFor({ state: "detached" });
      writeFileSync(path.join(stage.project, "README.md"), "# Shop\n\nSecond\nThird\n");
      term.say("/ide open README.md:3");
      await line(window, "Second").waitFor();
      await term.until(/editor: README\.md/);
      await window.shot("opened-from-a-terminal");
      term.say("/ide off");
      await term.until("Nothing from the editor goes along any more");
    } finally {
      for (const step of steps.toReversed()) await step();
    }
  },
};

/** A home in which nothing is set up. */
export const newcomer: Plays = {
  async "the banner says that no model is set up, and leads to where one is"({ window }) {
    const panel = await window.panel();
    await panel.getByText("No model is set up yet").waitFor();
    await window.shot("no-model");
    await panel.getByRole("button", { name: "Set up a model" }).click();
    await panel.getByRole("region", { name: "Set up a model" }).waitFor();
    await panel.getByRole("region", { name: "ChatGPT account" }).getByRole("button", { name: "Sign in with ChatGPT" }).waitFor();
    await window.shot("sign-in");
  },
};

export const untrusted: Plays = {
  async "restricted mode is said in words, and the panel is there once the folder is trusted"({ window, stage }) {
    await window.page.keyboard.press("Control+Alt+y");
    let page = window.page.frames().find(() => false);
    await eventually("the words", async () => {
      for (const frame of window.page.frames())
        if (
          (await frame
            .getByText("This folder is in Restricted Mode.")
            .count()
            .catch(() => 0)) > 0
        )
          page = frame;
      return page !== undefined;
    });
    await window.shot("restricted");
    assert.equal(
      existsSync(path.join(stage.home, "parley", "ide")),
      false,
      "no terminal can link with a window whose folder is not trusted",
    );
    await page?.getByRole("link", { name: "Manage Workspace Trust" }).click();
    await window.page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await window.panel();
    await eventually("terminals can link with it", () => existsSync(path.join(stage.home, "parley", "ide")));
    await window.say("hello");
    await window.sees("Hello from the written model.");
    await window.shot("trusted");
  },
};
