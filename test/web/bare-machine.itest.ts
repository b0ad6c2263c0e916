/** A first run with nothing installed: `npm start` without bubblewrap and similar tools, and the page's own tour to its end. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { bareCommand } from "../../scripts/bare-machine.ts";
import { outsideTemp } from "../support/outside-temp.ts";
import { root } from "../support/process.ts";
import { openBrowser, patienceMs, picture } from "./page.ts";

/** Why a bare machine cannot be simulated here; false if it can. */
function noBareMachine(): string | false {
  if (!existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium")) return "no Chromium on this machine";
  const [program = "", ...args] = bareCommand(["true"]);
  return spawnSync(program, args).status === 0 ? false : "needs the right to make a mount namespace with overlays";
}

describe("npm start with nothing installed", { skip: noBareMachine() }, () => {
  // Outside the temp folder, which is a different one on the bare machine.
  const folder = mkdtempSync(outsideTemp());
  const workspace = path.join(folder, "workspace");
  mkdirSync(workspace);
  const [program = "", ...args] = bareCommand([
    process.execPath,
    path.join(root, "scripts/start.ts"),
    "--no-open",
    "--listen",
    "127.0.0.1:0",
  ]);
  const manager = spawn(program, args, {
    cwd: workspace,
    env: { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: path.join(folder, "home") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let browser: Browser | undefined;
  let page: Page;

  before(async () => {
    browser = await openBrowser();
    assert.ok(browser !== undefined);
    page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.goto(await signInLink());
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  });
  after(async () => {
    await browser?.close();
    const ended = once(manager, "exit");
    if (manager.kill("SIGTERM")) await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  function signInLink(): Promise<string> {
    let text = "";
    return new Promise((resolve, reject) => {
      for (const stream of [manager.stdout, manager.stderr])
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          const link = /(http:\S+#sign-in=\S+)/.exec(text)?.[1];
          if (link !== undefined) resolve(link);
        });
      manager.on("exit", (code) => reject(new Error(`npm start ended with ${code}: ${text}`)));
    });
  }

  async function pick(title: string): Promise<void> {
    await page.goto(new URL("/", page.url()).href);
    await page.getByRole("button", { name: title }).click();
  }

  test("the settings name the sandbox that needs nothing installed", async () => {
    await page.goto(new URL("/settings/general", page.url()).href);
    await page.getByText(/Commands are confined by namespaces made by Parley itself/).waitFor();
    await picture(page, "bare-sandbox");
  });

  test("the tour's command runs in a sandbox", async () => {
    await pick("See it run a command");
    await page
      .getByRole("region", { name: "Run this command?" })
      .getByRole("button", { name: /^Allow once/ })
      .click();
    await page.getByText("the command's result went back to the script").waitFor();
    await picture(page, "bare-command");
    await page.locator(".markdown pre", { hasText: "hello from the offline tour" }).waitFor();
  });

  test("the tour's patch is shown, allowed and made", async () => {
    await pick("See it change a file");
    await page
      .getByRole("region", { name: "Apply these changes?" })
      .getByRole("button", { name: /^Allow once/ })
      .click();
    await page.getByText("that was a file change").waitFor();
    await picture(page, "bare-patch");
    assert.ok(existsSync(path.join(workspace, "parley-tour.txt")));
  });

  test("the tour's question is asked and answered", async () => {
    await pick("Let it ask you something");
    await page.getByText("Which kind of model would you like to connect?").waitFor();
    await page.getByRole("radio", { name: "Local" }).click();
    await picture(page, "bare-question");
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByText("your answer reached the script").waitFor();
  });
});
