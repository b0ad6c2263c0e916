/** The pace at which streamed text is drawn: what one frame cost stays free for the rest of the page, and a hidden page goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PageClock, pacedFrames } from "./store.ts";

/** A page whose time passes only when it is told to; drawing takes as long as the test says. */
class PlayedPage {
  #now = 1000;
  #ids = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  #frames: (() => void)[] = [];
  isHidden = false;

  readonly clock = {
    performance: { now: () => this.#now },
    requestAnimationFrame: (run: () => void) => this.#frames.push(run),
    setTimeout: (run: () => void, ms = 0) => {
      this.#timers.set(++this.#ids, { at: this.#now + ms, run });
      return this.#ids;
    },
    clearTimeout: (id: number) => this.#timers.delete(id),
  } as unknown as PageClock;

  get now(): number {
    return this.#now;
  }
  get timers(): number {
    return this.#timers.size;
  }
  work(ms: number): void {
    this.#now += ms;
  }
  /** One frame of 16 ms: the timers that are due, what is drawn in it, and the timers that follow at once. */
  frame(): void {
    this.#now += 16;
    this.#runTimers();
    if (this.isHidden) return;
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) run();
    this.#runTimers();
  }
  #runTimers(): void {
    for (const [id, { at, run }] of [...this.#timers]) if (at <= this.#now && this.#timers.delete(id)) run();
  }
}

/** When each drawing began, while something new waits in every frame. */
function drawnIn(frames: number, drawMs: number): readonly number[] {
  const page = new PlayedPage();
  const schedule = pacedFrames(page.clock);
  const begun: number[] = [];
  let isWaiting = false;
  for (let i = 0; i < frames; i++) {
    if (!isWaiting) {
      isWaiting = true;
      schedule(() => {
        begun.push(page.now);
        isWaiting = false;
        page.work(drawMs);
      });
    }
    page.frame();
  }
  return begun;
}

test("what is drawn quickly is drawn in every frame", () => {
  assert.equal(drawnIn(200, 3).length, 200);
});

test("after a frame that took long four times as long stays free, however long text streams in", () => {
  const begun = drawnIn(400, 40);
  assert.ok(begun.length > 20);
  for (const [i, at] of begun.entries()) if (i > 0) assert.ok(at - (begun[i - 1] ?? 0) >= 200, `drawing ${i} came too soon`);
});

test("a page that gets no frames takes what waits all the same, once, and keeps no timer", () => {
  const page = new PlayedPage();
  const schedule = pacedFrames(page.clock);
  let runs = 0;
  page.isHidden = true;
  schedule(() => runs++);
  for (let i = 0; i < 30; i++) page.frame();
  assert.equal(runs, 1);
  page.isHidden = false;
  page.frame();
  assert.equal(runs, 1);
  assert.equal(page.timers, 0);
});
