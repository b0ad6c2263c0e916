/** Shared by the browser tests: the built page, a browser, screenshots, and the accessibility check. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launch } from "../../apps/web/test/browser.ts";
import { buildPageIfOld } from "../../scripts/build-page.ts";

const root = path.resolve(import.meta.dirname, "../..");
export const pageFolder = path.join(root, "dist/web");
/** Where screenshots are saved, for people to look at; without it none are taken. */
const pictures = process.env["PARLEY_SCREENS"];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Only guards against hanging: a busy machine may be slow. */
export const patienceMs = 60_000;

/** Undefined if there is no browser. */
export async function openBrowser(): Promise<Browser | undefined> {
  await buildPageIfOld();
  assert.ok(existsSync(path.join(pageFolder, "index.html")), "the page is built");
  return launch();
}

export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

const rules = {
  all: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  colours: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
} as const;

/** Fails if the page has an accessibility problem that the rules can find, in its current theme. */
export async function checkAccessibility(page: Page, where: string, which: keyof typeof rules = "all"): Promise<void> {
  // During a colour transition the measured colour is neither of the two.
  await page.evaluate(
    "document.getAnimations().filter((a) => Number.isFinite(a.effect.getComputedTiming().endTime)).forEach((a) => a.finish())",
  );
  // The page's policy forbids foreign scripts, so the checker's script is injected by other means.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource);
  const found = await page.evaluate(
    `(async () => { const r = await axe.run(document, { resultTypes: ["violations"], runOnly: ${JSON.stringify(rules[which])} }); return r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ") + " (" + n.failureSummary.split("\\n")[1] + ")").slice(0, 5).join("; ")); })()`,
  );
  assert.deepEqual(found, [], where);
}

/** Waits for a condition that no locator can express. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isTrue())) {
    assert.ok(performance.now() < end, `never true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Presses the same key twice, a tenth of a second apart by event time, however long the machine takes to deliver them. */
export async function pressTwice(page: Page, key: "Escape"): Promise<void> {
  const keyboard = await page.context().newCDPSession(page);
  const first = Date.now() / 1000;
  for (const timestamp of [first, first + 0.1])
    for (const type of ["rawKeyDown", "keyUp"] as const)
      await keyboard.send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: 27, timestamp });
  await keyboard.detach();
}

/** Errors that the page reports: blocked content, thrown errors. */
export function watchConsole(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of (401|404|409|410|501|503)|net::ERR|WebSocket connection/.test(message.text()))
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  return complaints;
}
