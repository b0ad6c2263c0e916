/** "Always" means always, for everything it names: rules for commands, and tools of MCP servers, which have their own card. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { checkAccessibility, picture, until } from "./page.ts";
import { composerHasFocus, idle, Stage, send } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: both of them
    steps:
      - run: "touch one.txt && touch two.txt"
      - say: "Both are through."
  - user: one of them
    steps:
      - run: "touch three.txt"
      - say: "One is through."
  - user: run the hook
    steps:
      - say: "No hook said no."
  - user: write a note
    steps:
      - call: mcp__notes__write
        with: { name: "a \\u202Enote", depth: { of: [1, 2] } }
      - say: "Answered: {{output}}"
`;
const fixture = path.resolve(import.meta.dirname, "../support/mcp-fixture.ts");
const config = `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "plain"]\nstartup_timeout_sec = 60\n`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("what is allowed for longer", skip, () => {
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await Stage.open(scenario, config);
    page = await stage.newPage();
  });
  after(() => stage.close());

  const home = (file: string): string => path.join(stage.workspace, "../home", file);
  const command = () => page.getByRole("region", { name: "Run this command?" });
  const tool = () => page.getByRole("region", { name: "Let notes run write?" });

  test("a rule is offered only where it covers the whole command, and then it is the one that is stored", async () => {
    await stage.begin(page, "both of them");
    await command().waitFor();
    assert.equal(
      await command()
        .getByRole("button", { name: /^Always allow/ })
        .count(),
      0,
    );
    await command()
      .getByRole("button", { name: /^Allow once/ })
      .click();
    await page.getByText("Both are through.").waitFor();
    await idle(page);
    await send(page, "one of them");
    await command().waitFor();
    await command().getByText("Commands that start with: touch three.txt").waitFor();
    await command()
      .getByRole("button", { name: /^Always allow/ })
      .click();
    await page.getByText("One is through.").waitFor();
    assert.match(
      readFileSync(home("rules/default.rules"), "utf8"),
      /^prefix_rule\(pattern=\["touch", "three.txt"\], decision="allow"\)\n$/,
    );
  });

  test("approval of an MCP tool has its own card, with keys and one Cancel", async () => {
    await stage.begin(page, "write a note");
    await tool().waitFor();
    await tool().getByText('"name": "a \\u{202e}note"').waitFor();
    assert.deepEqual(
      await tool()
        .getByRole("button", { name: /Cancel/ })
        .allInnerTexts(),
      ["Cancel"],
    );
    assert.equal(await tool().getByRole("radio").count(), 0);
    await picture(page, "allowing-mcp");
    await checkAccessibility(page, "the card of an MCP tool");
    await tool().focus();
    await page.keyboard.press("n");
    await page.getByText("Answered: the user declined the tool call").waitFor();
    await until(() => composerHasFocus(page), "the composer has the focus after the answer");
    await idle(page);
  });

  test("a tool that is allowed for the session is not asked about again in it; in another it is", async () => {
    await send(page, "write a note");
    await tool().focus();
    await page.keyboard.press("s");
    await page.getByText("Answered: wrote").waitFor();
    await idle(page);
    await send(page, "write a note");
    await until(async () => (await page.getByText("Answered: wrote").count()) === 2, "the tool has run again");
    await stage.begin(page, "write a note");
    await tool().waitFor();
  });

  test("a tool that is always allowed stays so, over a restart too", async () => {
    await tool().focus();
    await page.keyboard.press("r");
    await page.getByText("Answered: wrote").waitFor();
    assert.match(readFileSync(home("config.toml"), "utf8"), /approval_mode = "approve"/);
    await stage.restart();
    await stage.begin(page, "write a note");
    await page.getByText("Answered: wrote").waitFor();
    assert.equal(await tool().count(), 0);
  });

  test("a hook runs once it is trusted as it is, until it is switched off or changed", async () => {
    const ran = path.join(stage.workspace, "hook-ran.txt");
    const write = (command: string): void =>
      writeFileSync(home("hooks.json"), JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } }));
    const hooks = page.locator(".settings-page");
    const shows = async (state: string): Promise<void> => {
      await page.goto(`${stage.url}/settings/hooks`);
      await hooks.getByText(state, { exact: true }).waitFor();
    };
    /** Whether a message triggers it. */
    const runs = async (): Promise<boolean> => {
      rmSync(ran, { force: true });
      await stage.begin(page, "run the hook");
      await page.getByText("No hook said no.").waitFor();
      await idle(page);
      return existsSync(ran);
    };
    write("touch hook-ran.txt # \u202Eharmless");
    await shows("not trusted: does not run");
    await hooks.getByText("touch hook-ran.txt # \\u{202e}harmless").waitFor();
    await picture(page, "allowing-hooks");
    assert.equal(await runs(), false);
    await shows("not trusted: does not run");
    await hooks.getByRole("button", { name: /^Trust / }).click();
    await hooks.getByText("trusted", { exact: true }).waitFor();
    assert.equal(await runs(), true);
    await shows("trusted");
    const looker = await stage.newPage("drive");
    await looker.goto(`${stage.url}/settings/hooks`);
    await looker.getByText("trusted", { exact: true }).waitFor();
    assert.equal(await looker.locator(".hook-file").getByRole("button").count(), 0, "a device without the right has no say");
    await looker.context().close();
    await hooks.getByRole("button", { name: /^Switch off/ }).click();
    await hooks.getByText("switched off", { exact: true }).waitFor();
    assert.equal(await runs(), false);
    await shows("switched off");
    await hooks.getByRole("button", { name: /^Switch on/ }).click();
    await hooks.getByText("trusted", { exact: true }).waitFor();
    write("touch hook-ran.txt; true");
    await shows("changed since it was trusted: does not run");
    assert.equal(await runs(), false);
    rmSync(home("hooks.json"));
  });

  test("a device that may only answer is not offered what lasts", async () => {
    await stage.begin(page, "both of them");
    await command().waitFor();
    const answering = await stage.newPage("approve");
    await answering.goto(page.url());
    const card = answering.getByRole("region", { name: "Run this command?" });
    await card.waitFor();
    assert.equal(await card.getByRole("button", { name: /^Always/ }).count(), 0);
    assert.equal(await answering.getByRole("button", { name: "Stop the turn" }).count(), 0);
    await card.getByRole("button", { name: /^Decline/ }).click();
    await card.waitFor({ state: "detached" });
    await answering.context().close();
  });
});
