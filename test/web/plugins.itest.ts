/** Plugins in the page: marketplaces from folders and repositories, what a plugin contains and runs, and an approval that is bound to what was shown. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { market, plainPlugin, serveRepository, skillText, under, writeFiles } from "../scenarios/plugin/stage.ts";
import { checkAccessibility, picture, until, watchConsole } from "./page.ts";
import { Stage } from "./stage.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };
const hooks = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true # \u202Eharmless" }] }] } };
const brings = {
  ...plainPlugin(),
  ".mcp.json": { mcpServers: { fx: { command: "sh", args: ["serve me.sh"], enabled: false } } },
  "hooks/hooks.json": hooks,
};

describe("plugins", skip, () => {
  let stage: Stage;
  let page: Page;
  let complaints: string[] = [];

  before(async () => {
    stage = await Stage.open("turns: []");
    page = await stage.newPage();
    complaints = watchConsole(page);
  });
  after(() => stage.close());

  const home = (file: string): string => path.join(stage.workspace, "../home", file);
  const folder = (): string => path.join(stage.workspace, "../market");
  const installed = "plugins/cache/mk/demo/1.2.0";
  const tab = (): Locator => page.locator(".settings-page");
  const open = async (): Promise<void> => {
    await page.goto(`${stage.url}/settings/plugins`);
    await tab().getByRole("heading", { name: "Add a marketplace" }).waitFor();
  };
  const box = (id = "demo@mk"): Locator => page.locator(`[data-plugin="${id}"]`);
  const shows = (state: string, id = "demo@mk"): Promise<void> => box(id).getByText(state, { exact: true }).waitFor();
  const skills = async (): Promise<string[]> => {
    const { body } = await stage.manager.call(`GET /api/skills?cwd=${encodeURIComponent(stage.workspace)}`);
    const entries = body["data"] as { skills: { name: string; pluginId?: string }[] }[];
    return entries.flatMap((entry) => entry.skills.flatMap(({ name, pluginId }) => (pluginId == null ? [] : [name])));
  };
  const add = async (source: string): Promise<void> => {
    await page.getByLabel("Folder, owner/repository or git address").fill(source);
    await page.keyboard.press("Enter");
  };

  test("without any, the page says so, and an invalid marketplace is refused with an error at its field", async () => {
    await open();
    await tab().getByText("No marketplace is known here, and no plugin is installed.").waitFor();
    mkdirSync(folder());
    await add(folder());
    await tab()
      .locator(".problem")
      .filter({ hasText: /marketplace/ })
      .waitFor();
    await add("not a source");
    await tab()
      .getByText(/expected owner\/repo, a git URL, or a local marketplace path/)
      .waitFor();
    assert.equal(await page.getByLabel("Folder, owner/repository or git address").getAttribute("aria-invalid"), "true");
  });

  test("a marketplace of a folder is added; its plugins are found and say what they bring", async () => {
    const offers = [
      { name: "demo", source: "./demo" },
      { name: "never", source: "./never", policy: { installation: "NOT_AVAILABLE" } },
    ];
    market(folder(), offers, under("demo", brings));
    await add(folder());
    await shows("not installed");
    await shows("cannot be installed", "never@mk");
    await tab().getByRole("searchbox").fill("DEMO PLUG");
    await box("never@mk").waitFor({ state: "detached" });
    await tab().getByRole("searchbox").fill("zzz");
    await tab().getByText("No plugin fits.").waitFor();
    await tab().getByRole("searchbox").fill("");
    const more = box().getByRole("button", { name: "What it brings: Demo Plug" });
    await more.click();
    for (const text of ["demo:greet", "fx", "stop", "1.2.0"]) await box().getByText(text, { exact: true }).waitFor();
    assert.equal(await more.getAttribute("aria-expanded"), "true");
    await more.click();
  });

  test("it is installed with the keyboard, then shows what it runs, and is switched off and on", async () => {
    await box().getByRole("button", { name: "Install Demo Plug" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Install Demo Plug?" });
    await dialog.getByText("demo:greet").waitFor();
    await checkAccessibility(page, "the question before an installation");
    await dialog.getByRole("button", { name: "Install" }).focus();
    await page.keyboard.press("Enter");
    await shows("in use");
    assert.deepEqual(await skills(), ["demo:greet"]);
    await box().getByText("sh 'serve me.sh'").waitFor();
    await box().getByText("true # \\u{202e}harmless").waitFor();
    await until(() => page.evaluate(`document.activeElement.closest("[data-plugin]") !== null`), "the focus is on the plugin");
    await box().getByRole("button", { name: "Switch off Demo Plug" }).click();
    await shows("switched off");
    assert.deepEqual(await skills(), []);
    await box().getByRole("button", { name: "Switch on Demo Plug" }).click();
    await shows("in use");
  });

  test("what has changed is not used until it is accepted as it was seen", async () => {
    writeFileSync(home(`${installed}/.mcp.json`), JSON.stringify({ mcpServers: { fx: { command: "curl", enabled: false } } }));
    await open();
    await shows("changed since you accepted it: not used");
    await box().getByText("curl", { exact: true }).waitFor();
    assert.deepEqual(await skills(), []);
    writeFileSync(home(`${installed}/late.sh`), "rm -r .\n");
    const accept = box().getByRole("button", { name: "Accept it as it is: Demo Plug" });
    await accept.click();
    await page.getByText(/has changed since you looked at it/).waitFor();
    await shows("changed since you accepted it: not used");
    await accept.click();
    await shows("in use");
    assert.deepEqual(await skills(), ["demo:greet"]);
  });

  test("it is readable in both themes, on a phone and with others' odd texts, and others' devices have no say", async () => {
    const odd = {
      ".codex-plugin/plugin.json": {
        name: "odd",
        version: "1.0.0",
        interface: { displayName: `\u202Eod${"d".repeat(200)}`, shortDescription: "<b>x</b>" },
      },
    };
    market(
      folder(),
      [
        { name: "demo", source: "./demo" },
        { name: "odd", source: "./odd" },
      ],
      { ...under("demo", brings), ...under("odd", odd) },
    );
    const looker = await stage.newPage("drive", { viewport: { width: 375, height: 700 } });
    await looker.goto(`${stage.url}/settings/plugins`);
    await looker.getByText("<b>x</b>").waitFor();
    await looker.getByText(/^\\u\{202e\}od/).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await looker.emulateMedia({ colorScheme });
      await checkAccessibility(looker, colorScheme);
      await picture(looker, `plugins-phone-${colorScheme}`);
    }
    assert.ok(await looker.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the phone");
    assert.equal(
      await looker
        .locator(".marketplace")
        .getByRole("button", { name: /^(Install|Accept|Switch|Uninstall|Remove)/ })
        .count(),
      0,
    );
    assert.equal(await looker.getByRole("heading", { name: "Add a marketplace" }).count(), 0);
    await looker.context().close();
    await open();
    await shows("in use");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `plugins-${colorScheme}`);
    }
  });

  test("an installed plugin stays when its marketplace goes, and is uninstalled without a trace", async () => {
    await page.getByRole("button", { name: "Remove the marketplace mk" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("region", { name: "No longer offered" }).waitFor();
    await shows("in use");
    await box().getByRole("button", { name: "Uninstall demo@mk" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Uninstall" }).click();
    await box().waitFor({ state: "detached" });
    assert.equal(existsSync(home(installed)), false);
    await tab().getByText("No marketplace is known here, and no plugin is installed.").waitFor();
  });

  test("a repository's marketplace is updated, and errors are shown", async (t) => {
    const place = path.join(stage.workspace, "../repository");
    mkdirSync(place);
    market(place, [{ name: "first", source: "./first" }], under("first", plainPlugin("first")), "far");
    const repository = await serveRepository(place);
    t.after(() => repository.close());
    await add(repository.url);
    await shows("not installed", "first@far");
    const again = page.getByRole("button", { name: "Fetch again: far" });
    await again.click();
    await page.getByText("There was nothing new.").waitFor();
    writeFiles(place, { "second/skills/a/SKILL.md": skillText("a", "x") });
    market(
      place,
      [
        { name: "first", source: "./first" },
        { name: "second", source: "./second", version: "1.0.0" },
      ],
      {},
      "far",
    );
    repository.publish();
    await again.click();
    await shows("not installed", "second@far");
    market(place, [], {}, "another");
    repository.publish();
    await again.click();
    await page.getByText(/does not match configured marketplace/).waitFor();
  });

  test("the page had nothing to complain of", () => assert.deepEqual(complaints, []));
});
