/** The page at the sizes that users reach, in a real browser: text that streams into long transcripts, long markdown, thousands of sessions. */
import { performance } from "node:perf_hooks";
import type { Browser, CDPSession, Page } from "playwright-core";
import { FakeBridge } from "../../apps/web/test/fake-bridge.ts";
import { fill } from "../../apps/web/test/play.ts";
import { DeltaMerge } from "../../src/manager/delta-merge.ts";
import type { ThreadItem } from "../../src/protocol/item.ts";
import { pageFolder, until } from "../../test/web/page.ts";
import { frames, longTranscript, quantile } from "../../test/web/scale.ts";

const deltasPerSecond = 2000;
const deltasPerFrame = Math.round(deltasPerSecond / 60);
const [warmUpFrames, measuredFrames] = [30, 120];
const sessions = 10_000;
const items = 5000;
/** What an answer has before its streaming is measured. */
const markdownChars = 200_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const round = (n: number): number => Math.round(n * 10) / 10;

export async function inPage<T>(browser: Browser, work: (page: Page) => Promise<T>): Promise<T> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

/** Starts counting; the returned function gives the main thread's milliseconds since: its processor time, whatever else the machine did. */
export async function mainThread(page: Page): Promise<() => Promise<number>> {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await metric(tools, "TaskDuration");
  return async () => ((await metric(tools, "TaskDuration")) - before) * 1000;
}
async function metric(tools: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? 0;
}

/** Measures some rows; it can be run alone. */
export type Part = () => Promise<Readonly<Record<string, number | string>>>;

export function pageSizes(browser: Browser, streamMs: number): Readonly<Record<string, Part>> {
  const markdown = Object.keys(growing).map((kind): [string, Part] => [
    `markdown, ${kind}`,
    () => measureMarkdown(browser, kind as keyof typeof growing, streamMs),
  ]);
  return {
    "deltas after items": () => measureStreams(browser, "after 5,000 items", streamMs),
    "deltas in a turn of items": () => measureStreams(browser, "in a turn of 5,000 items", streamMs),
    ...Object.fromEntries(markdown),
    "thousands of sessions": () => measureSessions(browser),
  };
}

interface Streamed {
  /** While the deltas arrive by the clock: they depend on what else the machine does. */
  readonly framesPerSecond: number;
  /** The share of the time, in percent, in which the main thread worked. */
  readonly share: number;
  /** The main thread's milliseconds for a frame in which a sixtieth of a second's deltas arrive: it does not depend on the rest. */
  readonly perFrame: number;
}

async function streamed(page: Page, say: (deltas: number) => void, ms: number): Promise<Streamed> {
  // What is loaded and compiled once is not what is measured.
  for (let i = 0; i < warmUpFrames; i++) await oneFrame(page, say);
  const worked = await mainThread(page);
  for (let i = 0; i < measuredFrames; i++) await oneFrame(page, say);
  const perFrame = (await worked()) / measuredFrames;
  await page.evaluate(`(() => {
    window.framesDrawn = 0;
    const count = () => { window.framesDrawn++; requestAnimationFrame(count); };
    requestAnimationFrame(count);
  })()`);
  const drawn = async (): Promise<number> => Number(await page.evaluate("window.framesDrawn"));
  const [before, busy, started] = [await drawn(), await mainThread(page), performance.now()];
  await spokenFor(say, ms);
  const [count, cpu, elapsed] = [(await drawn()) - before, await busy(), performance.now() - started];
  return { framesPerSecond: (1000 * count) / elapsed, share: (100 * cpu) / elapsed, perFrame };
}

async function oneFrame(page: Page, say: (deltas: number) => void): Promise<void> {
  say(deltasPerFrame);
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(drawn))");
}

/** Sends the next deltas, tokens of about five characters of a text without end, merged as the manager merges those of a frame. */
function speaker(bridge: FakeBridge, text: string): (deltas: number) => void {
  const merge = new DeltaMerge((message) => bridge.emit("notification", "s4", message));
  let at = 0;
  return (deltas) => {
    for (let i = 0; i < deltas; i++) {
      const delta = text.slice(at, at + 5);
      at = at + 5 >= text.length ? 0 : at + 5;
      merge.take({ method: "item/agentMessage/delta", params: { threadId: "s4", turnId: "live", itemId: "answer", delta } });
    }
    if (deltas > 1) merge.flush();
  };
}

/** As many deltas as are due by the clock. */
async function spokenFor(say: (deltas: number) => void, ms: number): Promise<void> {
  const started = performance.now();
  for (let sent = 0; ; ) {
    const elapsed = performance.now() - started;
    if (elapsed >= ms) return;
    for (const due = (elapsed / 1000) * deltasPerSecond; sent < due; sent++) say(1);
    await wait(4);
  }
}

interface Opened {
  readonly before: readonly ThreadItem[];
  readonly answer: string;
  readonly earlier: number;
}

/** A session with a running turn, whose last item is the answer that grows. */
async function openRunning(page: Page, { before, answer, earlier }: Opened): Promise<FakeBridge> {
  const bridge = new FakeBridge(pageFolder);
  fill(bridge);
  const running: ThreadItem[] = [...before, { type: "agentMessage", id: "answer", text: answer }];
  const turns = earlier === 0 ? [] : longTranscript(earlier);
  bridge.turns.set("s4", [...turns, { id: "live", status: "inProgress", items: running, startedAt: Math.floor(Date.now() / 1000) }]);
  bridge.update("s4", { state: "working", activeTurnId: "live" });
  await page.goto(`${await bridge.listen()}/s/s4`);
  await page.locator(".agent-live .markdown").waitFor({ state: "attached" });
  return bridge;
}

async function measureRunning(browser: Browser, opened: Opened, text: string, ms: number): Promise<Streamed> {
  return await inPage(browser, async (page) => {
    const bridge = await openRunning(page, opened);
    try {
      return await streamed(page, speaker(bridge, text), ms);
    } finally {
      await bridge.close();
    }
  });
}

const prose = "Some words of an answer with **bold** ones, `code` and more of them, up to the end of a paragraph.\n\n";

async function measureStreams(
  browser: Browser,
  where: "after 5,000 items" | "in a turn of 5,000 items",
  ms: number,
): Promise<Record<string, number>> {
  const opened =
    where === "after 5,000 items"
      ? { before: [], answer: "", earlier: items }
      : { before: longTranscript(items).flatMap((turn) => turn.items), answer: "", earlier: 0 };
  const { framesPerSecond, perFrame } = await measureRunning(browser, opened, prose, ms);
  return {
    [`2,000 deltas a second ${where}: frames a second`]: round(framesPerSecond),
    [`2,000 deltas a second ${where}: main thread ms a frame`]: round(perFrame),
  };
}

const mixed = Array.from({ length: 12 }, (_, i) =>
  [
    `## Part ${i}\n\n${prose}`,
    `- one **item** ${i}\n- two with \`code\` ${i}\n  - three below it\n\n`,
    `\`\`\`ts\nconst value${i} = compute(${i});\nexport function part${i}(): number {\n  return value${i};\n}\n\`\`\`\n\n`,
    `| name | value |\n|---|---:|\n| a${i} | ${i} |\n| b${i} | ${i * 2} |\n\n`,
  ].join(""),
).join("");
/** Blocks that do not end while they stream are the hard case: nothing of them is finished. */
const growing = {
  "of all kinds": { begin: "", repeat: mixed },
  "one block of code": { begin: "```ts\n", repeat: "const value = compute(1, 2, 3); // a line of code\n" },
  "one list": { begin: "", repeat: "- an item with **bold** words and `code` in it\n" },
  "one table": { begin: "| name | value |\n|---|---:|\n", repeat: "| a name with `code` | 12,345 |\n" },
};

async function measureMarkdown(browser: Browser, kind: keyof typeof growing, ms: number): Promise<Record<string, number>> {
  const { begin, repeat } = growing[kind];
  const answer = begin + repeat.repeat(Math.ceil(markdownChars / repeat.length));
  const { share, perFrame } = await measureRunning(browser, { before: [], answer, earlier: 0 }, repeat, ms);
  return {
    [`2,000 deltas a second into markdown of 200 kB, ${kind}: main thread, % of the time`]: round(share),
    [`2,000 deltas a second into markdown of 200 kB, ${kind}: main thread ms a frame`]: round(perFrame),
  };
}

async function measureSessions(browser: Browser): Promise<Record<string, number>> {
  const bridge = new FakeBridge(pageFolder);
  fill(bridge, sessions);
  const url = await bridge.listen();
  const name = sessions.toLocaleString("en-US");
  try {
    return await inPage(browser, async (page) => {
      const worked = await mainThread(page);
      await page.goto(url);
      await page.locator(".session-row").first().waitFor();
      const paint = Number(await page.evaluate("performance.now()"));
      const listed = `document.querySelector(".session-list").scrollHeight > ${sessions * 50}`;
      await until(async () => (await page.evaluate(listed)) === true, "all sessions are listed");
      const loaded = await worked();
      const typing = await measureTyping(page);
      const scrolling = await mainThread(page);
      const times = await frames(page, ".session-list", 160);
      const scrolled = await scrolling();
      const tools = await page.context().newCDPSession(page);
      await tools.send("HeapProfiler.collectGarbage");
      await tools.send("Performance.enable");
      return {
        [`${name} sessions: first paint ms`]: round(paint),
        [`${name} sessions: main thread ms until all are listed`]: round(loaded),
        [`${name} sessions: a letter typed into the search, main thread ms`]: round(typing),
        [`${name} sessions: scroll frame p95 ms`]: round(quantile(times, 0.95)),
        [`${name} sessions: scroll, main thread ms a frame`]: round(scrolled / times.length),
        [`${name} sessions: memory of scripts MB`]: round((await metric(tools, "JSHeapUsedSize")) / 1e6),
      };
    });
  } finally {
    await bridge.close();
  }
}

/** Of each letter, until its result is drawn. */
async function measureTyping(page: Page): Promise<number> {
  const box = page.getByLabel("Search sessions");
  await box.focus();
  const costs: number[] = [];
  for (const letter of "number 77") {
    const worked = await mainThread(page);
    await page.keyboard.press(letter === " " ? "Space" : letter);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    costs.push(await worked());
  }
  await box.fill("");
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
  return quantile(costs, 0.5);
}
