/** Takes a picture of every screen, in both themes and on a phone, for people to look at: node apps/web/test/shots.ts [folder]. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { launch } from "./browser.ts";
import { FakeBridge } from "./fake-bridge.ts";
import { requests } from "./fake-world.ts";
import { fill } from "./play.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const out = process.argv[2] ?? path.join(root, "test-output/web");
const only = process.argv[3];
mkdirSync(out, { recursive: true });

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** Something of everything that the overview shows. */
function arrange({ sessions, lists }: FakeBridge): void {
  const change = (id: string, part: object): void => {
    const known = sessions.get(id);
    if (known !== undefined) sessions.set(id, { ...known, ...part });
  };
  change("s1", { changes: { files: 2, added: 14, removed: 3 }, unread: true });
  change("s2", { changes: { files: 5, added: 131, removed: 27 } });
  change("s3", { unread: true });
  change("s7", { sectionId: "pinned" });
  for (const [i, name] of ["Euclid", "Noether"].entries()) {
    const parent = sessions.get("s2");
    if (parent !== undefined)
      sessions.set(`agent-${i}`, {
        ...{ ...parent, sessionId: `agent-${i}`, parentSessionId: "s2", agentName: name, activeTurnId: null, changes: null },
        ...{ title: i === 0 ? "Find every hard-coded colour" : "Write the contrast tests", state: i === 0 ? "working" : "idle" },
      });
  }
  lists.goals.set("s2", {
    ...{ threadId: "s2", objective: "Every screen passes the contrast check in both themes", status: "active", tokenBudget: 200_000 },
    ...{ tokensUsed: 61_200, timeUsedSeconds: 754, createdAt: 1, updatedAt: 1 },
  });
}

type Shot = readonly [name: string, address: string, prepare?: (page: Page, bridge: FakeBridge) => Promise<void>];
const wait = (page: Page, ms = 250): Promise<void> => page.waitForTimeout(ms);
const shots: readonly Shot[] = [
  ["home", "/"],
  ["session", "/s/s1"],
  ["session-top", "/s/s1", async (page) => void (await page.locator(".transcript-list").evaluate((e) => e.scrollTo(0, 0)))],
  ["working", "/s/s2"],
  [
    "command",
    "/s/s1",
    async (page, bridge) => {
      bridge.ask(requests.command("s1"));
      await page.getByText("Run this command?").waitFor();
    },
  ],
  [
    "question",
    "/s/s4",
    async (page, bridge) => {
      bridge.ask(requests.question("s4"));
      await page.getByText("Where should the limiter").first().waitFor();
    },
  ],
  [
    "inbox",
    "/inbox",
    async (page, bridge) => {
      for (const [kind, make] of Object.entries(requests)) bridge.ask(make(kind === "command" ? "s1" : "s4"));
      await page.getByText("Grant more permissions?").waitFor();
    },
  ],
  ["agents", "/s/s2", async (page) => page.getByRole("button", { name: /sub-agents/ }).click()],
  ["snooze", "/s/s1", async (page) => page.keyboard.press("Alt+s")],
  ["goal-dialog", "/s/s2", async (page) => page.keyboard.press("Alt+g")],
  [
    "select",
    "/",
    async (page) => {
      const list = page.getByRole("button", { name: /^Session list/ });
      if ((await list.count()) > 0) await list.click();
      await page.getByRole("button", { name: "Select sessions" }).click();
      await page.getByRole("checkbox").first().check();
    },
  ],
  ["inbox-end", "/inbox", async (page) => void (await page.locator(".page-scroll").evaluate((e) => e.scrollTo(0, 1500)))],
  [
    "changes",
    "/s/s1",
    async (page) => {
      await page.getByRole("button", { name: "Changes" }).first().click();
      await page.getByText("token-bucket.ts").last().waitFor();
    },
  ],
  [
    "split",
    "/s/s1",
    async (page) => {
      await page.getByRole("button", { name: "Changes" }).first().click();
      await page.getByRole("button", { name: "Side by side" }).click();
    },
  ],
  [
    "working-tree",
    "/s/s1",
    async (page) => {
      await page.getByRole("button", { name: "Changes" }).first().click();
      await page.getByRole("button", { name: "Working tree" }).click();
      await page.getByRole("heading", { name: /^Not staged/ }).waitFor();
    },
  ],
  [
    "commit",
    "/s/s1",
    async (page) => {
      await page.keyboard.press("Alt+k");
      await page.getByRole("dialog").getByText("Then").waitFor();
    },
  ],
  [
    "undo",
    "/s/s1",
    async (page) => {
      await page.keyboard.press("Alt+z");
      await page.getByRole("dialog").getByText("is put back").waitFor();
    },
  ],
  [
    "worktree",
    "/s/s6",
    async (page, bridge) => {
      const pullRequest = {
        url: "https://github.com/ada/tidepool/pull/7",
        number: 7,
        title: "Wait",
        state: "open",
        checks: "passed",
      } as const;
      bridge.update("s6", { worktree: { root: "/home/ada/projects/tidepool", branch: "parley/2026-11-17-3fa2c1" }, pullRequest });
      await page.getByRole("button", { name: "Worktree", exact: true }).click();
      await page.getByRole("dialog").getByText("Afterwards").waitFor();
    },
  ],
  ["palette", "/s/s1", async (page) => page.keyboard.press("Control+k")],
  ["menu", "/s/s1", async (page) => page.getByRole("button", { name: "Session actions" }).click()],
  ["permissions", "/s/s1", async (page) => page.getByRole("button", { name: /^Permissions/ }).click()],
  ["unguarded", "/s/s6"],
  ["settings", "/settings/general"],
  ["rules", "/settings/rules"],
  ["devices", "/settings/devices"],
  ["audit", "/settings/audit"],
  ["servers", "/settings/servers"],
  ["account", "/settings/account"],
  [
    "list",
    "/",
    async (page) => void (page.viewportSize()?.width === 390 && (await page.getByRole("button", { name: /^Session list/ }).click())),
  ],
];

async function shoot(browser: Browser, label: string, theme: "light" | "dark", viewport: { width: number; height: number }): Promise<void> {
  const bridge = new FakeBridge(path.join(root, "dist/web"));
  fill(bridge);
  arrange(bridge);
  const url = await bridge.listen();
  const page = await browser.newPage({
    viewport,
    colorScheme: theme,
    reducedMotion: "reduce",
    ...(viewport === phone ? { hasTouch: true, isMobile: true } : {}),
  });
  page.on("console", (m) => m.type() === "error" && console.log(`${label}: ${m.text()}`));
  page.on("pageerror", (e) => console.log(`${label}: ${e.message}`));
  for (const [name, address, prepare] of shots) {
    if (only !== undefined && !only.split(",").includes(name)) continue;
    bridge.pending.clear();
    await page.goto(url + address);
    await page.locator("main").waitFor();
    await wait(page, 350);
    try {
      await prepare?.(page, bridge);
    } catch (error) {
      console.log(`${label}-${name}: ${String(error).split("\n")[0]}`);
    }
    await wait(page);
    await page.screenshot({ path: path.join(out, `${name}-${label}.png`) });
  }
  bridge.signedIn = false;
  await page.goto(url);
  await wait(page);
  await page.screenshot({ path: path.join(out, `sign-in-${label}.png`) });
  await page.close();
  await bridge.close();
}

const browser = await launch();
if (browser === undefined) console.log("no browser: nothing taken");
else {
  await shoot(browser, "light", "light", desktop);
  await shoot(browser, "dark", "dark", desktop);
  await shoot(browser, "phone", "light", phone);
  await shoot(browser, "phone-dark", "dark", phone);
  await browser.close();
  console.log(`pictures in ${out}`);
}
