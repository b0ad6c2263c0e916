/** Many sessions and a very long transcript: the page only draws what is visible and responds at once. Prints figures for the bench. */
import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { FakeBridge } from "../../apps/web/test/fake-bridge.ts";
import { fill } from "../../apps/web/test/play.ts";
import type { ThreadItem } from "../../src/protocol/item.ts";
import { checkAccessibility, openBrowser, pageFolder, patienceMs, picture, until } from "./page.ts";
import { firstLoad, frames, longTranscript, median, restyled } from "./scale.ts";

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

test("five hundred sessions: only the visible rows are in the page, and scrolling keeps up", skip, async () => {
  const page = (await browser?.newPage({ viewport: { width: 1280, height: 860 } })) ?? assert.fail("a browser");
  page.setDefaultTimeout(patienceMs);
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
  page.setDefaultTimeout(patienceMs);
  const started = performance.now();
  await page.goto(`${url}/s/s4`);
  await page.locator(".turn").first().waitFor();
  const opened = performance.now() - started;
  const drawn = await page.locator(".turn *").count();
  assert.ok(drawn < 12_000, `${drawn} elements are drawn`);
  await page.locator(".transcript-list").hover();
  const latest = page.getByRole("button", { name: "Latest" });
  await until(async () => {
    await page.mouse.wheel(0, -300); // again if the list had not reached its end yet
    return await latest.isVisible();
  }, "the wheel leaves the end");
  const times = await frames(page, ".transcript-list", -400);
  await latest.click();
  await latest.waitFor({ state: "detached" });
  bridge.notify("s4", "turn/started", { turn: { id: "live", items: [], status: "inProgress" } });
  bridge.notify("s4", "item/started", { turnId: "live", item: { type: "agentMessage", id: "l", text: "" } });
  for (let i = 0; i < 400; i++) bridge.notify("s4", "item/agentMessage/delta", { turnId: "live", itemId: "l", delta: `word${i} ` });
  await page.getByText(/word399/).waitFor();
  // Rows are measured after they are drawn; the end is where the view settles.
  await until(async () => {
    const gap = await page.locator(".transcript-list").evaluate((e: unknown) => {
      const { scrollHeight, scrollTop, clientHeight } = e as { scrollHeight: number; scrollTop: number; clientHeight: number };
      return scrollHeight - scrollTop - clientHeight;
    });
    return gap < 120;
  }, "less than 120 px from the end");
  await picture(page, "31-long");
  console.log(`20,000 items: opened in ${opened.toFixed(0)} ms, ${drawn} elements drawn, median frame ${median(times).toFixed(1)} ms`);
  await page.close();
});

test("text streamed into a very long answer costs the browser no more than in a short one", skip, async () => {
  const page = (await browser?.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" })) ?? assert.fail("a browser");
  page.setDefaultTimeout(patienceMs);
  const block = (i: number): string =>
    i % 5 === 4 ? `- one **item** ${i}\n- two \`code\` ${i}\n\n` : `Paragraph ${i} with **bold** words and \`code\`.\n\n`;
  /** How many elements get new styles for each word of an answer that already has this many blocks. */
  const perWord = async (session: string, blocks: number): Promise<number> => {
    await page.goto(`${url}/s/${session}`);
    await page.locator(".turn, .empty").first().waitFor();
    const itemId = `long-${blocks}`;
    const say = async (delta: string): Promise<void> => {
      bridge.notify(session, "item/agentMessage/delta", { turnId: itemId, itemId, delta });
      const isDrawn = `[...document.querySelectorAll(".agent-live .markdown")].at(-1)?.lastChild?.textContent.includes(${JSON.stringify(delta.trim().slice(-12))})`;
      await until(async () => (await page.evaluate(isDrawn)) === true, `${delta.slice(-12)} is drawn`);
    };
    bridge.notify(session, "turn/started", { turn: { id: itemId, items: [], status: "inProgress" } });
    bridge.notify(session, "item/started", { turnId: itemId, item: { type: "agentMessage", id: itemId, text: "" } });
    await say(`${Array.from({ length: blocks }, (_, i) => block(i)).join("")}first-of-all `);
    const words = 20;
    const rounds: number[] = [];
    // The browser may still be laying out earlier content: that happens once, while the cost per word is in every round.
    for (const round of ["a", "b", "c"]) {
      const { elements } = await restyled(page, async () => {
        for (let i = 0; i < words; i++) await say(i % 10 === 9 ? `block-${round}${i}.\n\n` : `word-${round}${i} `);
      });
      rounds.push(elements / words);
    }
    bridge.notify(session, "turn/completed", { turn: { id: itemId, items: [], status: "completed" } });
    return Math.min(...rounds);
  };
  const short = await perWord("s5", 10);
  const long = await perWord("s6", 2000);
  console.log(`a word that streams in: ${short.toFixed(1)} elements restyled after 10 blocks, ${long.toFixed(1)} after 2,000`);
  assert.ok(long < short * 3 + 10, `${long.toFixed(1)} elements for each word, ${short.toFixed(1)} in a short answer`);
  await page.close();
});

test("a long table in parts has one set of columns and is one table for a screen reader", skip, async () => {
  const page = (await browser?.newPage({ viewport: { width: 1280, height: 860 } })) ?? assert.fail("a browser");
  page.setDefaultTimeout(patienceMs);
  const rows = Array.from({ length: 250 }, (_, i) => `| row ${i} | ${i === 240 ? "a much longer cell than all others" : i} |\n`).join("");
  const items: ThreadItem[] = [{ type: "agentMessage", id: "table", text: `| name | value |\n|---|---:|\n${rows}` }];
  bridge.turns.set("s5", [{ id: "tables", status: "completed", items }]);
  await page.goto(`${url}/s/s5`);
  const columns = `[...document.querySelectorAll(".md-table table")].map((t) => [...t.rows[0].cells].map((c) => Math.round(c.getBoundingClientRect().left)).join())`;
  await until(async () => {
    const found = (await page.evaluate(columns)) as string[];
    return found.length === 3 && new Set(found).size === 1;
  }, "the three parts have the same columns");
  assert.equal(await page.getByRole("table").count(), 1);
  assert.equal(await page.getByRole("table").getByRole("row").count(), 251);
  await checkAccessibility(page, "a long table");
  await page.close();
});

test("what the browser must fetch at first is at most 170 kB", skip, () => {
  const { bytes, files } = firstLoad();
  console.log(`first load: ${files} files, ${(bytes / 1000).toFixed(0)} kB gzip of ${globSync("**/*", { cwd: pageFolder }).length} files`);
  assert.ok(bytes <= 170_000, `${bytes} bytes`);
});
