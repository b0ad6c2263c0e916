/** The page's tools: devices with a QR code, templates, schedules, sharing, MCP servers and skills, a terminal, background commands and previews. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { checkAccessibility, picture, until, watchConsole } from "./page.ts";
import { composer, idle, Stage, sizes } from "./stage.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

const scenario = `
turns:
  - user: Serve the page
    steps:
      - call: exec_command
        with: { cmd: "echo serving; sleep 600", yield_time_ms: 250 }
      - say: It runs in the background.
  - user: /./
    steps:
      - say: "Done: <img src=x onerror=alert(1)> **bold**"
`;

describe("tools of the page", skip, () => {
  let stage: Stage;
  let page: Page;
  let complaints: string[] = [];

  before(async () => {
    stage = await Stage.open(scenario);
    page = await stage.newPage();
    complaints = watchConsole(page);
  });
  after(() => stage.close());

  const tab = (): Locator => page.locator(".settings-page");
  const settings = async (name: string): Promise<void> => {
    await page.goto(`${stage.url}/settings/${name}`);
    await tab().locator("h2").waitFor();
  };
  const button = (name: string | RegExp): Locator => page.getByRole("button", { name, exact: typeof name === "string" });
  const config = (): string => readFileSync(path.join(stage.workspace, "../home/config.toml"), "utf8");
  /** Looks at the screen as people with other themes, sizes and needs do. */
  const look = async (name: string): Promise<void> => {
    await picture(page, `tools-${name}`);
    await checkAccessibility(page, name);
    await page.setViewportSize(sizes.phone);
    await page.evaluate("document.documentElement.dataset.theme = 'dark'");
    await picture(page, `tools-${name}-phone-dark`);
    await checkAccessibility(page, `${name}, dark, on a phone`, "colours");
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert.ok(Number(overflow) <= 0, `${name} scrolls sideways by ${overflow}`);
    await page.evaluate("delete document.documentElement.dataset.theme");
    await page.setViewportSize(sizes.desktop);
  };

  test("a device is signed in by a QR code, with a name that can be changed", async () => {
    await settings("devices");
    await page.getByLabel("Name of the device").fill("Phone");
    await button("Make a link").click();
    await page.getByRole("img", { name: "The sign-in link as a QR code" }).waitFor();
    await look("devices");
    const link = (await tab().locator(".link-made code").textContent()) ?? "";
    const other = await (await stage.browser.newContext({ serviceWorkers: "block" })).newPage();
    await other.goto(link);
    await other.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await other.context().close();
    await settings("devices");
    await button("Rename Phone").click();
    await page.getByLabel("Name", { exact: true }).fill("Kitchen tablet");
    await page.keyboard.press("Enter");
    await tab().getByText("Kitchen tablet").waitFor();
  });

  test("a template is written once and used from the composer, with a place to fill in", async () => {
    await settings("templates");
    await button("New template").click();
    await page.getByLabel("Name", { exact: true }).fill("Release notes");
    await page.getByLabel("Text", { exact: true }).fill("Write notes for {{version}} now.");
    await button("Save").click();
    await tab().getByRole("heading", { name: "Release notes" }).waitFor();
    await look("templates");
    await stage.home(page);
    await composer(page).pressSequentially("/rele");
    await page.getByRole("option", { name: /release-notes/ }).waitFor();
    await page.keyboard.press("Enter");
    assert.equal(await composer(page).inputValue(), "Write notes for {{version}} now.");
    await page.keyboard.type("2.0");
    assert.equal(await composer(page).inputValue(), "Write notes for 2.0 now.");
    await settings("templates");
    await button("Remove Release notes").click();
    await tab().getByText("No templates yet").waitFor();
  });

  test("a schedule for weekdays at nine is kept over a restart of the manager, and runs", async () => {
    await settings("schedules");
    await button("New schedule").click();
    await page.getByLabel("Name", { exact: true }).fill("Morning");
    await page.getByLabel("Message", { exact: true }).fill("Look through the new issues.");
    await page.getByLabel("Time", { exact: true }).fill("09:00");
    await look("schedule-form");
    await button("Save").click();
    await tab()
      .getByText(/^Every weekday at 09:00/)
      .waitFor();
    await stage.restart();
    await settings("schedules");
    await tab()
      .getByText(/^Every weekday at 09:00/)
      .waitFor();
    await button("Run now: Morning").click();
    await tab().getByText("Started", { exact: true }).waitFor();
    await look("schedules");
    await button("Open the session").click();
    await page.locator(".session").getByText("Look through the new issues.").first().waitFor();
    await idle(page);
  });

  test("a session is saved as one HTML file, and shared by a link that shows it without a sign-in until it is ended", async () => {
    await button("Session actions").click();
    await page.getByRole("menuitem", { name: "Share or export…" }).click();
    const saving = page.waitForEvent("download");
    await button("Save as an HTML file").click();
    const file = readFileSync((await (await saving).path()) ?? "", "utf8");
    assert.match(file, /Look through the new issues\./);
    assert.ok(!file.includes("<img src=x"), "what the model wrote is no markup");
    await button("Make a read-only link").click();
    const url = (await page.locator(".link-made code").textContent()) ?? "";
    await picture(page, "tools-share");
    await checkAccessibility(page, "share");
    await button("Close").click();
    const stranger = await (await stage.browser.newContext()).newPage();
    const found = watchConsole(stranger);
    await stranger.goto(url);
    await stranger.getByText("Look through the new issues.").first().waitFor();
    await stranger.locator("strong", { hasText: "bold" }).waitFor();
    assert.deepEqual(found, []);
    await picture(stranger, "tools-shared");
    await settings("sharing");
    await look("sharing");
    await button(/^End the link/).click();
    await tab().getByText("Nothing is shared").waitFor();
    const gone = await stranger.goto(url);
    assert.equal(gone?.status(), 404);
    await stranger.context().close();
  });

  test("an MCP server is added, switched off and removed, and what is wrong is said before", async () => {
    await settings("servers");
    await button("Add a server").click();
    await page.getByLabel("Name", { exact: true }).fill("bad name");
    await page.getByLabel("Command, or the address of a server").fill('sh -c "cat"');
    await tab().getByText("A name has letters, digits, hyphens and underscores.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("notes");
    await page.getByLabel(/^Environment/).fill("NOTES_KEY=a=b");
    await look("servers");
    await button("Add").click();
    await button("Remove notes").waitFor();
    assert.match(config(), /\[mcp_servers\.notes\][\s\S]*command = "sh"[\s\S]*args = \["-c", "cat"\]/);
    await page.getByRole("switch", { name: "Use notes" }).press("Space");
    await until(() => /enabled = false/.test(config()), "the server is switched off in the settings");
    await page.getByRole("switch", { name: "Use notes", checked: false }).waitFor();
    await button("Remove notes").click();
    await until(() => !config().includes("mcp_servers.notes"), "the server is gone from the settings");
  });

  test("a skill is added and switched off", async () => {
    await settings("skills");
    await button("New skill").click();
    await page.getByLabel(/^Name/).fill("release-notes");
    await page.getByLabel("When the agent should use it").fill('For "release" notes: always');
    await page.getByLabel("Instructions").fill("Read the log first.");
    await button("Add").click();
    await tab().locator("[data-skill=release-notes]").waitFor();
    await look("skills");
    await page.getByRole("switch", { name: "Use release-notes" }).press("Space");
    await page.getByRole("switch", { name: "Use release-notes", checked: false }).waitFor();
    const listed = await stage.manager.call(`GET /api/skills?cwd=${encodeURIComponent(stage.workspace)}`);
    const [skill] = (listed.body["data"] as { skills: { name: string; enabled: boolean; description: string }[] }[])
      .flatMap(({ skills }) => skills)
      .filter(({ name }) => name === "release-notes");
    assert.deepEqual([skill?.enabled, skill?.description], [false, 'For "release" notes: always']);
  });

  test("a terminal in the session's folder, a background command that is stopped, and a preview of a port without our cookies", async () => {
    await stage.begin(page, "Serve the page");
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await page.getByText("It runs in the background.").waitFor();
    await idle(page);
    await button("Programs").click();
    await button("Open a terminal").click();
    const screen = page.locator(".live-terminal");
    await screen.locator(".xterm-screen").waitFor();
    await page.keyboard.type("printf '\\033[38;2;255;0;0mred\\033[0m\\n'; echo $((6*7))-$(basename $PWD)\n");
    await screen.getByText("42-workspace").first().waitFor();
    const red = `getComputedStyle([...document.querySelectorAll(".xterm-rows span")].find((e) => e.textContent === "red")).color`;
    assert.equal(await page.evaluate(red), "rgb(255, 0, 0)");
    await page.getByRole("button", { name: /^Stop echo serving/ }).waitFor();
    await picture(page, "tools-programs");
    await checkAccessibility(page, "programs");
    await page.getByRole("button", { name: /^Stop echo serving/ }).click();
    await page.getByText("Nothing runs in the background.").waitFor();
    await button("Hide").click();
    await button("Open a terminal").click();
    await screen.getByText("42-workspace").first().waitFor();

    const seen: (string | undefined)[] = [];
    const site = createServer((request, response) => {
      seen.push(request.headers.cookie);
      response.setHeader("content-type", "text/html").end("<h1>The site</h1><script>document.title = 'it runs'</script>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const { port } = site.address() as AddressInfo;
    await page.getByRole("region", { name: "Preview" }).getByRole("textbox").fill(String(port));
    const opening = page.context().waitForEvent("page");
    await button("Open in a new tab").click();
    const preview = await opening;
    await preview.getByRole("heading", { name: "The site" }).waitFor();
    assert.equal(await preview.title(), "it runs");
    assert.notEqual(new URL(preview.url()).port, new URL(stage.url).port);
    assert.ok(!preview.url().includes("parley-preview"), "the code is not left in the address");
    assert.deepEqual(
      seen.filter((cookie) => cookie?.includes("parley") === true),
      [],
    );
    await preview.close();
    await button(`Close the preview of port ${port}`).click();
    await button(`Close the preview of port ${port}`).waitFor({ state: "detached" });
    site.closeAllConnections();
    site.close();
    await page.setViewportSize(sizes.phone);
    await picture(page, "tools-programs-phone");
    await page.setViewportSize(sizes.desktop);
  });

  test("without a fleet there is no page of it, and its address says so", async () => {
    await settings("general");
    assert.equal(await page.getByRole("navigation", { name: "Settings" }).getByRole("button", { name: "Fleet" }).count(), 0);
    await page.goto(`${stage.url}/settings/fleet`);
    await page.getByText("This manager has no fleet").waitFor();
  });

  test("the page has reported no error", () => {
    assert.deepEqual(complaints, []);
  });
});
