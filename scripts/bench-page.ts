/** Figures of the manager's page and websocket, as JSON on stdout: node scripts/bench-page.ts [--full] [--only "one table"]. Takes about two minutes. */
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Browser, Page } from "playwright-core";
import { FakeBridge } from "../apps/web/test/fake-bridge.ts";
import { fill } from "../apps/web/test/play.ts";
import { adminToken, openedWith, PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../test/support/manager.ts";
import { openBrowser, pageFolder } from "../test/web/page.ts";
import { firstLoad, frames, longTranscript, quantile } from "../test/web/scale.ts";
import { inPage, mainThread, type Part, pageSizes } from "./bench/page-sizes.ts";

const { values: flags } = parseArgs({ options: { full: { type: "boolean", default: false }, only: { type: "string", default: "" } } });
const repeats = flags.full ? 7 : 3;
const streamMs = flags.full ? 8000 : 3000;
const [clients, threads] = [100, 50];

const round = (n: number): number => Math.round(n * 10) / 10;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function pageFigures(browser: Browser): Promise<Record<string, number>> {
  const bridge = new FakeBridge(pageFolder);
  fill(bridge, 500);
  bridge.turns.set("s4", longTranscript(20_000));
  const url = await bridge.listen();
  try {
    const paints = await repeated(browser, (page) => firstPaint(page, url));
    const opens = await repeated(browser, (page) => openLong(page, url));
    const list = await inPage(browser, async (page) => {
      await firstPaint(page, url);
      return await scrolled(page, ".session-list", 160);
    });
    const reading = await inPage(browser, async (page) => {
      await openLong(page, url);
      await page.locator(".transcript-list").hover();
      await page.mouse.wheel(0, -300);
      return await scrolled(page, ".transcript-list", -400);
    });
    return {
      "500 sessions: first paint ms": paints.ms,
      "500 sessions: first paint, main thread ms": paints.cpu,
      "500 sessions: scroll frame p95 ms": list.p95,
      "500 sessions: scroll, main thread ms a frame": list.cpu,
      "20,000 items: open ms": opens.ms,
      "20,000 items: open, main thread ms": opens.cpu,
      "20,000 items: scroll frame p95 ms": reading.p95,
      "20,000 items: scroll, main thread ms a frame": reading.cpu,
    };
  } finally {
    await bridge.close();
  }
}

interface Cost {
  readonly ms: number;
  /** The main thread's working time, whatever else the machine did. */
  readonly cpu: number;
}

async function repeated(browser: Browser, work: (page: Page) => Promise<number>): Promise<Cost> {
  const found: Cost[] = [];
  for (let i = 0; i < repeats; i++)
    found.push(
      await inPage(browser, async (page) => {
        const worked = await mainThread(page);
        const ms = await work(page);
        return { ms, cpu: await worked() };
      }),
    );
  const middle = (key: keyof Cost): number =>
    round(
      quantile(
        found.map((f) => f[key]),
        0.5,
      ),
    );
  return { ms: middle("ms"), cpu: middle("cpu") };
}

async function scrolled(page: Page, selector: string, distance: number): Promise<{ p95: number; cpu: number }> {
  const worked = await mainThread(page);
  const times = await frames(page, selector, distance);
  return { p95: round(quantile(times, 0.95)), cpu: round((await worked()) / times.length) };
}

/** Time until the first session is on the screen, by the page's own clock. */
async function firstPaint(page: Page, url: string): Promise<number> {
  await page.goto(url);
  await page.locator(".session-row").first().waitFor();
  return Number(await page.evaluate("performance.now()"));
}
async function openLong(page: Page, url: string): Promise<number> {
  await page.goto(`${url}/s/s4`);
  await page.locator(".turn").first().waitFor();
  return Number(await page.evaluate("performance.now()"));
}

/** Sockets in a separate thread, so that reading does not delay writing; each event carries its creation time. */
const listenerCode = `
const { parentPort, workerData } = require("node:worker_threads");
const { WebSocket } = require(workerData.ws);
const now = () => performance.timeOrigin + performance.now();
const lags = [];
let last = 0, received = 0;
const open = Array.from({ length: workerData.count }, () => new Promise((resolve, reject) => {
  const socket = new WebSocket(workerData.url, { headers: { authorization: "Bearer " + workerData.token } });
  socket.on("error", reject);
  socket.on("message", (data) => {
    const text = String(data);
    if (text.includes('"ready"')) return resolve(socket);
    const made = /@(\\d+\\.\\d+)@/.exec(text);
    if (made === null) return;
    received++;
    last = now();
    lags.push(last - Number(made[1]));
  });
}));
Promise.all(open).then((sockets) => {
  parentPort.postMessage("open");
  parentPort.on("message", (command) => {
    if (command === "end") for (const s of sockets) s.terminate();
    parentPort.postMessage({ received, last, lags: lags.splice(0) });
    received = 0;
  });
});`;

interface Received {
  readonly received: number;
  readonly last: number;
  readonly lags: readonly number[];
}

async function listen(
  manager: TestManager,
  count: number,
): Promise<{ ask(command: "so far" | "end"): Promise<Received>; close(): Promise<unknown> }> {
  const ws = (await import("node:module")).createRequire(import.meta.url).resolve("ws");
  const url = `${manager.url.replace("http", "ws")}/api/stream?families=core,raw`;
  const worker = new Worker(listenerCode, { eval: true, workerData: { url, token: adminToken, count, ws } });
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  return {
    ask: (command) =>
      new Promise((resolve) => {
        worker.once("message", resolve);
        worker.postMessage(command);
      }),
    close: () => worker.terminate(),
  };
}

const stamp = (): string => `@${(performance.timeOrigin + performance.now()).toFixed(3)}@`;

async function streamFigures(): Promise<Record<string, number>> {
  const scratch = scratchFolder();
  const engine = new PlayedEngine();
  engine.on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }));
  engine.on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))));
  const manager = await startManager({ engine, folder: scratch.folder, workspace: scratch.workspace });
  try {
    for (let t = 0; t < threads; t++) await manager.call(`POST /api/sessions/t${t}/resume`, {});
    const fanOut = await measureFanOut(manager, engine);
    const lags = await measureStreams(manager, engine);
    return {
      [`one event to ${clients} sockets: all have it, ms`]: round(fanOut),
      [`${threads} streaming threads, 10 sockets: event latency p50 ms`]: round(quantile(lags, 0.5)),
      [`${threads} streaming threads, 10 sockets: event latency p99 ms`]: round(quantile(lags, 0.99)),
    };
  } finally {
    await manager.close();
    scratch.remove();
  }
}

async function measureFanOut(manager: TestManager, engine: PlayedEngine): Promise<number> {
  const listener = await listen(manager, clients);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const made = performance.timeOrigin + performance.now();
    engine.notify("warning", { threadId: "t0", message: stamp() });
    let received = 0;
    let last = 0;
    for (let polls = 0; received < clients && polls < 400; polls++) {
      await wait(5);
      const so = await listener.ask("so far");
      received += so.received;
      last = Math.max(last, so.last);
    }
    times.push(last - made);
  }
  await listener.ask("end");
  await listener.close();
  return quantile(times, 0.5);
}

/** Every thread sends a few words ten times a second; the bridge merges what arrives within a frame, which is part of the figure. */
async function measureStreams(manager: TestManager, engine: PlayedEngine): Promise<readonly number[]> {
  const listener = await listen(manager, 10);
  const until = performance.now() + streamMs;
  for (let tick = 0; performance.now() < until; tick++) {
    for (let t = tick % 5; t < threads; t += 5)
      engine.notify("item/agentMessage/delta", { threadId: `t${t}`, turnId: "turn", itemId: "item", delta: `${stamp()} some words ` });
    await wait(20);
  }
  await wait(200);
  const { lags } = await listener.ask("end");
  await listener.close();
  return lags;
}

const browser = await openBrowser();
const parts: Readonly<Record<string, Part>> = {
  ...(browser === undefined
    ? { page: async () => ({ page: "no Chromium on this machine" }) }
    : { "sessions and items": () => pageFigures(browser), ...pageSizes(browser, streamMs) }),
  "first load": async () => {
    const load = firstLoad();
    return { "first load kB gzip": round(load.bytes / 1000), "first load files": load.files };
  },
  sockets: streamFigures,
};
const figures: Record<string, number | string> = {};
for (const [name, measure] of Object.entries(parts)) if (name.includes(flags.only)) Object.assign(figures, await measure());
await browser?.close();
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
if (Object.keys(figures).length === 0) process.stderr.write(`No part has "${flags.only}" in its name: ${Object.keys(parts).join(", ")}\n`);
