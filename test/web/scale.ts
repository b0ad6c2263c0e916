/** Large amounts of data, for the scale test and the bench: a long transcript, the time between frames, the size of the first load. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import type { ThreadItem } from "../../src/protocol/item.ts";
import type { Turn } from "../../src/protocol/turn.ts";
import { pageFolder } from "./page.ts";

/** Turns of twenty items each, and one turn of thousands. */
export function longTranscript(items: number): Turn[] {
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

/** Scrolls step by step and returns the times between drawn frames. A string, because it runs in the page, which has a DOM. */
export const frames = (page: Page, selector: string, distance: number): Promise<number[]> =>
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
export const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
export const quantile = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

/** What the browser must fetch initially, gzipped. */
export function firstLoad(): { readonly bytes: number; readonly files: number } {
  const html = readFileSync(path.join(pageFolder, "index.html"), "utf8");
  const first = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? "");
  const linked = new Set(first);
  // Modules statically imported by the first ones are fetched as well.
  for (const file of first)
    for (const [, other] of readFileSync(path.join(pageFolder, file), "utf8").matchAll(/from"\.\/([\w.-]+\.js)"/g))
      linked.add(`assets/${other}`);
  const bytes = [...linked].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(pageFolder, file))).length, 0);
  return { bytes, files: linked.size };
}

interface Restyled {
  /** How often the browser recalculated styles, and for how many elements in total. */
  readonly times: number;
  readonly elements: number;
}
interface TraceEvent {
  readonly name: string;
  readonly args?: { readonly elementCount?: number };
}

/** Counts the elements whose styles the browser recalculates during an action: unlike time, this does not depend on the machine's load. */
export async function restyled(page: Page, act: () => Promise<void>): Promise<Restyled> {
  const devtools = await page.context().newCDPSession(page);
  const counts: number[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, args } of value as unknown as readonly TraceEvent[])
      if (name === "UpdateLayoutTree") counts.push(args?.elementCount ?? 0);
  });
  await devtools.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline"] }, transferMode: "ReportEvents" });
  await act();
  const complete = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.end");
  await complete;
  await devtools.detach();
  return { times: counts.length, elements: counts.reduce((sum, count) => sum + count, 0) };
}
