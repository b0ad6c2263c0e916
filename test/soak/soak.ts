/** `npm run soak`: mixed turns, approvals, interrupts, reconnects and kills on many threads for a long time; memory and descriptors must stay flat. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { today, writeFigures } from "../../scripts/figures.ts";
import { eventually, processesWith } from "../support/live-server.ts";
import { SlowReader } from "./slow-reader.ts";
import { type Figures, mark, pause, Stand } from "./stand.ts";
import { counts, Visitor } from "./visitor.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    threads: { type: "string", default: "50" },
    write: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const threads = Number(values.threads);
if (!(minutes > 0) || !(threads >= 2)) throw new Error("use: npm run soak -- [--minutes 30] [--threads 50] [--write]");
/** One in five visitors is at the server that is killed all the time; the figures of memory are of the other one. */
const killedShare = 0.2;
/** Those who join threads of others at the steady server and do not read. */
const slowReaders = 8;
const sampleMs = 5000;
const meanLifeMs = 12_000;
/** What the last third may hold more than the second one, beside noise: MB after the garbage was collected, resident MB, descriptors. */
const limits: Figures = { held: 15, rss: 40, fds: 8 };

const folder = mkdtempSync(path.join(tmpdir(), "parley-soak-"));
const make = (name: string): Stand => {
  mkdirSync(path.join(folder, name));
  return new Stand(path.join(folder, name));
};
const steady = make("steady");
const mortal = make("mortal");
const began = performance.now();
let isStopped = false;
const isOver = (): boolean => isStopped || performance.now() - began > minutes * 60_000;
process.once("SIGINT", () => {
  isStopped = true;
});
const samples: Figures[] = [];

try {
  await Promise.all([steady.start(), mortal.start()]);
  const visitors = Array.from({ length: threads }, (_, i) => {
    const stand = i < threads * killedShare ? mortal : steady;
    return new Visitor(stand, `v${i}`, Math.random).live(isOver);
  });
  const slow = Array.from({ length: slowReaders }, () => new SlowReader(steady, Math.random).live(isOver));
  await Promise.all([Promise.all(visitors), Promise.all(slow), killing(), sampling()]);
  const after = await atRest();
  await Promise.all([steady.stop(), mortal.stop()]);
  await eventually(() => processesWith(mark).length === 0, "the end of every command", 120_000);
  report(after);
} finally {
  await Promise.all([steady.stop(), mortal.stop()]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function killing(): Promise<void> {
  while (!isOver()) {
    await pause(meanLifeMs * (0.3 + 1.4 * Math.random()));
    if (!isOver()) await mortal.killAndRestart();
  }
}
async function sampling(): Promise<void> {
  let told = 0;
  while (!isOver()) {
    samples.push(await steady.figures());
    if (performance.now() - told > 30_000) {
      told = performance.now();
      const { held, rss, fds } = samples.at(-1) ?? { held: 0, rss: 0, fds: 0 };
      const minute = ((performance.now() - began) / 60_000).toFixed(1);
      console.log(
        `${minute} min: ${counts.turns} turns, ${mortal.restarts} kills, ${held.toFixed(0)} MB held, ${rss.toFixed(0)} MB resident, ${fds} descriptors`,
      );
    }
    await pause(sampleMs);
  }
}
/** What the server holds when everybody has left. */
async function atRest(): Promise<Figures> {
  await pause(2000);
  return steady.figures();
}
function report(after: Figures): void {
  const third = Math.floor(samples.length / 3);
  const median = (of: keyof Figures, from: number, to: number): number => {
    const sorted = samples.slice(from, to).map((sample) => sample[of]);
    sorted.sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  const thirds = (of: keyof Figures): readonly number[] => [0, 1, 2].map((i) => median(of, i * third, (i + 1) * third));
  const isFlat = (["held", "rss", "fds"] as const).every((of) => {
    const [, second = 0, third = 0] = thirds(of);
    return third - second <= limits[of];
  });
  const sawCutOff = counts.cutOff > 0 || minutes < 2;
  const megabytes = (of: "held" | "rss"): string =>
    `${thirds(of)
      .map((mb) => mb.toFixed(0))
      .join(" → ")} MB`;
  const rows: readonly (readonly [string, string])[] = [
    ["length", `${((performance.now() - began) / 60_000).toFixed(1)} minutes, ${threads} threads at a time, ${counts.threads} in all`],
    ["turns", `${counts.turns}: ${counts.completed} completed, ${counts.interrupted} interrupted, ${counts.failed} failed`],
    ["turns without an end", "0"],
    ["approvals answered", String(counts.approvals)],
    ["connections left in the middle of a turn", String(counts.reconnects)],
    [
      "clients that joined four threads each and did not read for 5 to 150 seconds",
      `${counts.slowReaders}; of those that read on ${counts.cutOff} found close code 1013 and ${counts.cutOffLong} a connection that was given up`,
    ],
    ["kill -9 of a server at work", `${mortal.restarts}, ${counts.cutByKill} visitors cut off and back`],
    ["memory after a garbage collection, medians of the three thirds", megabytes("held")],
    ["resident memory at those moments", megabytes("rss")],
    ["descriptors, medians of the three thirds", thirds("fds").join(" → ")],
    ["when all have left", `${after.held.toFixed(0)} MB, ${after.rss.toFixed(0)} MB resident, ${after.fds} descriptors`],
    ["processes left behind", "0"],
    [
      "load of the machine at the end",
      loadavg()
        .map((load) => load.toFixed(1))
        .join(", "),
    ],
  ];
  const table = ["| what | figure |", "|---|---|", ...rows.map(([what, figure]) => `| ${what} | ${figure} |`)].join("\n");
  console.log(table);
  const command = `npm run soak -- --minutes ${minutes} --threads ${threads}`;
  if (values.write === true) writeFigures("docs/reliability.md", "soak", `${today()}, \`${command}\`:\n\n${table}`);
  console.log(isFlat ? "memory and descriptors stayed flat" : `NOT FLAT: allowed are more ${JSON.stringify(limits)}`);
  if (!sawCutOff) console.log("NOBODY WAS CUT OFF: slow readers must find close code 1013");
  process.exitCode = isFlat && sawCutOff ? 0 : 1;
}
