/** Many sessions and a very long transcript: the page draws what is seen and answers at once. Figures are printed for the bench. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { FakeBridge } from "../../apps/web/test/fake-bridge.ts";
import { fill } from "../../apps/web/test/play.ts";
import type { ThreadItem } from "../../src/protocol/item.ts";
import type { Turn } from "../../src/protocol/turn.ts";
import { openBrowser, pageFolder, picture } from "./page.ts";

let browser: Browser | undefined;
let bridge: FakeBridge;
let url = "";

before(async () => {
  browser = await openBrowser();
  bridge = new FakeBridge(pageFolder);
  fill(bridge, 500);
  bridge.turns.set("s4", longTranscript(20_000));
  url = await bridge.listen();
});
after(async () => {
  await browser?.close();
  await bridge.close();
});
const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

/** Turns of twenty items, and one turn of thousands. */
function longTranscript(items: number): Turn[] {
  const turns: Turn[] = [];
  let made = 0;
  while (made < items) {
    const size = turns.length === 20 ? 4000 : 20;
    const list: ThreadItem[] = [{ type: "userMessage", id: `u${made}`, content: [{ type: "text", text: `Question ${turns.length}` }] }];
    for (let i = 1; i < size; i++)
      list.push(
        i % 3 === 0
          ? { type: "agentMessage", id: `a${made}-${i}`, text: `Answer ${i} with **words** and \`code\`.\n\n- one\n- two` }
          : {
              type: "commandExecution",
              id: `c${made}-${i}`,
              command: `echo ${i}`,
              commandActions: [],
              cwd: "/",
              status: "failed",
              exitCode: 1,
              aggregatedOutput: `line ${i}\n`,
            },
      );
    turns.push({ id: `turn-${turns.length}`, status: "completed", items: list });
    made += size;
  }
  return turns;
}

/** Scrolls step by step and gives the time between drawn frames. Written as text: it runs in the page, which has a DOM. */
const frames = (page: Page, selector: string, distance: number): Promise<number[]> =>
  page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const times = [];
    let last = performance.now();
    let left = 90;
    const step = () => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      element.scrollBy(0, ${distance});
      if (--left > 0) requestAnimationFrame(step);
      else resolve(times);
    };
    requestAnimationFrame(step);
  })`);
const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

test("five hundred sessions: only the rows in sight are in the page, and scrolling keeps up", skip, async () => {
  const page = (await browser?.newPage({ viewport: { width: 1280, height: 860 } })) ?? assert.fail("a browser");
  await page.goto(url);
  await page.locator(".session-row").first().waitFor();
  const rows = await page.locator(".session-row").count();
  assert.ok(rows < 80, `${rows} rows are drawn`);
  const times = await frames(page, ".session-list", 160);
  await page.getByLabel("Search sessions").fill("number 499");
  await page.getByText("Session number 499").waitFor();
  console.log(`500 sessions: ${rows} rows drawn, median frame ${median(times).toFixed(1)} ms`);
  await page.close();
});

test("twenty thousand items: opened at their end, read upwards, still at the end while new text streams in", skip, async () => {
  const page = (await browser?.newPage({ viewport: { width: 1280, height: 860 } })) ?? assert.fail("a browser");
  const started = performance.now();
  await page.goto(`${url}/s/s4`);
  await page.locator(".turn").first().waitFor();
  const opened = performance.now() - started;
  const drawn = await page.locator(".turn *").count();
  assert.ok(drawn < 12_000, `${drawn} elements are drawn`);
  await page.locator(".transcript-list").hover();
  await page.mouse.wheel(0, -300);
  const times = await frames(page, ".transcript-list", -400);
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByRole("button", { name: "Latest" }).waitFor({ state: "detached" });
  bridge.notify("s4", "turn/started", { turn: { id: "live", items: [], status: "inProgress" } });
  bridge.notify("s4", "item/started", { turnId: "live", item: { type: "agentMessage", id: "l", text: "" } });
  for (let i = 0; i < 400; i++) bridge.notify("s4", "item/agentMessage/delta", { turnId: "live", itemId: "l", delta: `word${i} ` });
  await page.getByText(/word399/).waitFor();
  const gap = await page.locator(".transcript-list").evaluate((e: unknown) => {
    const { scrollHeight, scrollTop, clientHeight } = e as { scrollHeight: number; scrollTop: number; clientHeight: number };
    return scrollHeight - scrollTop - clientHeight;
  });
  assert.ok(gap < 120, `${gap} px from the end`);
  await picture(page, "31-long");
  console.log(`20,000 items: opened in ${opened.toFixed(0)} ms, ${drawn} elements drawn, median frame ${median(times).toFixed(1)} ms`);
  await page.close();
});

test("what the browser must fetch at first is under 250 kB", skip, () => {
  const html = readFileSync(path.join(pageFolder, "index.html"), "utf8");
  const first = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? "");
  const linked = new Set(first);
  // Modules that the first ones import at once are fetched as well.
  for (const file of first)
    for (const [, other] of readFileSync(path.join(pageFolder, file), "utf8").matchAll(/from"\.\/([\w.-]+\.js)"/g))
      linked.add(`assets/${other}`);
  const bytes = [...linked].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(pageFolder, file))).length, 0);
  console.log(
    `first load: ${linked.size} files, ${(bytes / 1000).toFixed(0)} kB gzip of ${globSync("**/*", { cwd: pageFolder }).length} files`,
  );
  assert.ok(bytes <= 250_000, `${bytes} bytes`);
});
