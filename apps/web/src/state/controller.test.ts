import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "../../../../src/manager/events.ts";
import { type Connection, type Listener, Refused, type RequestAnswer } from "../connection/connection.ts";
import { Controller } from "./controller.ts";
import type { OutgoingMessage, PendingRequest } from "./model.ts";
import type { Shelf } from "./settings.ts";
import { createStore } from "./store.ts";

const request = (id: string): PendingRequest => ({
  requestId: id,
  kind: "command",
  method: "m",
  threadId: "t",
  rootThreadId: "t",
  turnId: null,
  itemId: null,
  callId: null,
  tool: null,
  arguments: null,
  summary: "",
  details: {},
  createdAt: "",
  expiresAt: null,
  status: "pending",
  sessionTitle: null,
});

function memory(): Shelf & { readonly map: Map<string, string> } {
  const map = new Map<string, string>();
  return { map, getItem: (k) => map.get(k) ?? null, setItem: (k, v) => void map.set(k, v), removeItem: (k) => void map.delete(k) };
}

/** A connection whose responses a test defines; any other call fails the test. */
function harness(part: Partial<Connection>, shelf = memory()) {
  let listener: Listener | undefined;
  const base: Partial<Connection> = {
    offers: { name: "manager", projects: true, settings: [] },
    open: (l) => {
      listener = l;
    },
    close: () => {},
    watch: () => {},
    me: async () => ({}) as Awaited<ReturnType<Connection["me"]>>,
    sessions: async () => ({ sessions: [], nextCursor: null }),
    pending: async () => [],
    projects: async () => [],
  };
  const store = createStore((run) => run());
  /** Callbacks that the controller has scheduled. */
  const later: (() => void)[] = [];
  const controller = new Controller({ ...base, ...part } as Connection, store, shelf, { later: (run) => void later.push(run) });
  const toasts: string[] = [];
  controller.onToast((text) => void toasts.push(text));
  const online = async (): Promise<void> => {
    listener?.link("online");
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    controller,
    store,
    shelf,
    toasts,
    later,
    online,
    hear: (event: unknown) => listener?.event(event as StreamEvent),
    state: () => store.get(),
  };
}

const input = [{ type: "text", text: "hi" }] as const;
const sendOptions = { delivery: "auto", overrides: {} } as const;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a call that fails while the connection holds is made again by itself", async () => {
  const shelf = memory();
  let calls = 0;
  const page = harness({ send: async () => (calls++ === 0 ? Promise.reject(new TypeError("cut")) : ({} as never)) }, shelf);
  await page.controller.start();
  await page.online();
  page.controller.send("t", input, sendOptions);
  await settle();
  assert.equal(page.state().outbox[0]?.state, "offline");
  for (const run of page.later.splice(0)) run();
  await settle();
  assert.deepEqual([calls, page.state().outbox[0]?.state, page.later.length], [2, "accepted", 0]);
});

test("a message that could not be sent is kept across a reload and sent once with the same id", async () => {
  const shelf = memory();
  const first = harness({ send: async () => Promise.reject(new TypeError("offline")) }, shelf);
  await first.controller.start();
  await first.online();
  first.controller.send("t", input, sendOptions);
  await settle();
  const kept = first.state().outbox[0];
  assert.equal(kept?.state, "offline");

  const sent: OutgoingMessage[] = [];
  const second = harness(
    {
      send: async (m) => {
        sent.push(m);
        return "started" as const;
      },
    },
    shelf,
  );
  await second.controller.start();
  await second.online();
  await second.online();
  assert.deepEqual(
    sent.map((m) => m.messageId),
    [kept?.messageId],
  );
  assert.equal(second.state().outbox[0]?.state, "accepted");
  assert.equal(shelf.getItem("parley.outbox"), null);
});

test("a refused message is not tried again by itself", async () => {
  let calls = 0;
  const h = harness({
    send: async () => {
      calls++;
      throw new Refused(409, "invalid_state", "Busy.", null);
    },
  });
  await h.controller.start();
  await h.online();
  h.controller.send("t", input, sendOptions);
  await settle();
  await h.online();
  assert.deepEqual([calls, h.state().outbox[0]?.state, h.state().outbox[0]?.problem], [1, "failed", "Busy."]);
});

test("one answer per request, however often it is clicked", async () => {
  const answers: RequestAnswer[] = [];
  const h = harness({ pending: async () => [request("r")], answer: async (_, a) => void answers.push(a) });
  await h.controller.start();
  await h.online();
  await Promise.all([h.controller.answer(request("r"), { response: 1 }), h.controller.answer(request("r"), { response: 2 })]);
  await h.controller.answer(request("r"), { response: 3 });
  assert.deepEqual(answers, [{ response: 1 }]);
  assert.equal(h.state().pending.get("r")?.answer, "accepted");
});

test("a late answer gets the server's message and the card stays until the list says otherwise", async () => {
  const h = harness({ pending: async () => [request("r")], answer: async () => Promise.reject(new Refused(409, "in_flight", "x", null)) });
  await h.controller.start();
  await h.online();
  await h.controller.answer(request("r"), { response: 1 });
  assert.equal(h.state().pending.get("r")?.answer, "elsewhere");
  assert.match(h.state().pending.get("r")?.problem ?? "", /already on its way/);
});

test("what happens while the lists are read is not lost", async () => {
  let release: (() => void) | undefined;
  const h = harness({ pending: () => new Promise((resolve) => (release = () => resolve([]))) });
  await h.controller.start();
  await h.online();
  h.hear({ seq: 1, bootId: "b", type: "approval", threadId: "t", payload: request("r") });
  assert.equal(h.state().pending.size, 0);
  release?.();
  await settle();
  assert.deepEqual([...h.state().pending.keys()], ["r"]);
});

test("a missing session is distinguished from a failure", async () => {
  const gone = harness({ turns: async () => Promise.reject(new Refused(410, "deleted", "Deleted.", null)) });
  assert.equal(await gone.controller.open("t"), "gone");
  const broken = harness({ turns: async () => Promise.reject(new Refused(500, "codex_error", "Broken.", null)) });
  assert.equal(await broken.controller.open("t"), "ok");
  assert.deepEqual(broken.toasts, ["Broken."]);
});

test("being signed out ends the page's state", async () => {
  const h = harness({ me: async () => Promise.reject(new Refused(401, "signed_out", "x", null)) });
  await h.controller.start();
  assert.equal(h.state().phase, "signedOut");
});
