import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, openClient } from "../client/client.ts";
import { Peer } from "../rpc/peer.ts";
import { memoryPair } from "../rpc/transport.ts";
import { EngineDown, EngineLink, type LinkPorts, type LinkState } from "./link.ts";

/** A minimal server; `servers` contains the server ends, so that a test can make one crash. */
function stage(part: Partial<LinkPorts> = {}, startMs = 60_000) {
  const warnings: string[] = [];
  const servers: Peer[] = [];
  const answers = new Map<unknown, unknown>();
  const states: LinkState[] = [];
  const waiting: { kind: LinkState["kind"]; resolve: () => void }[] = [];
  const open: LinkPorts["open"] = async (options) => {
    const [near, far] = memoryPair();
    servers.push(
      new Peer(far, {
        request: (method) => (method === "initialize" ? { userAgent: `server ${servers.length}` } : { data: [] }),
        notification: () => {},
        answer: (id, outcome) => answers.set(id, "error" in outcome ? outcome.error.message : outcome.result),
        closed: () => {},
      }),
    );
    return openClient(near, options);
  };
  const ports: LinkPorts = {
    open,
    ready: async () => {},
    notification: () => {},
    request: () => {},
    isForeign: () => false,
    givesUp: () => true,
    warn: (message) => void warnings.push(message),
    now: () => 0,
    ...part,
    state(state) {
      states.push(state);
      for (const one of waiting.filter((w) => w.kind === state.kind)) one.resolve();
      part.state?.(state);
    },
  };
  const link = new EngineLink(ports, startMs);
  const reach = (kind: LinkState["kind"]): Promise<void> => new Promise((resolve) => waiting.push({ kind, resolve }));
  return { open, link, servers, states, reach, warnings, answers };
}

test("a server that ends is opened again, and requests made in the meantime wait for it", async () => {
  const { link, servers, reach } = stage();
  await link.start();
  const lost = reach("lost");
  servers[0]?.close();
  await lost;
  assert.deepEqual(await link.call("model/list", {}), { data: [] });
  assert.deepEqual(link.state, { kind: "running", userAgent: "server 2" });
  link.stop();
});

test("a listener that throws does not prevent reopening a lost server", async () => {
  const { link, servers, reach, warnings } = stage({
    state: () => {
      throw new Error("broken");
    },
  });
  await link.start();
  const again = reach("running");
  servers[0]?.close();
  await again;
  assert.deepEqual([link.state.kind, warnings[0]], ["running", "the state of the engine could not be announced"]);
  link.stop();
});

test("a server that keeps ending is given up, and a person can restart it", async () => {
  let fails = true;
  const good = stage();
  const { link, states, reach } = stage({
    open: (options, signal) => (fails ? Promise.reject(new Error("exit code 1: no such model")) : good.open(options, signal)),
  });
  const failed = reach("failed");
  await link.start();
  await failed;
  assert.equal(states.filter((s) => s.kind === "lost").length, 4);
  assert.deepEqual(states.at(-1), { kind: "failed", reason: "exit code 1: no such model" });
  await assert.rejects(link.call("model/list", {}), EngineDown);
  fails = false;
  await link.start();
  assert.equal(link.state.kind, "running");
  link.stop();
});

test("stopping ends the connection and all waiting requests", async () => {
  const never = Promise.withResolvers<Client>();
  const { link } = stage({ open: () => never.promise });
  const starting = link.start();
  const call = link.call("model/list", {});
  link.stop();
  await assert.rejects(call, EngineDown);
  never.reject(new Error("too late"));
  await starting;
  assert.equal(link.state.kind, "stopped");
});

test("a link that does not wait refuses at once, and one whose first attempt fails reports why", async () => {
  const { link, states } = stage({ open: () => Promise.reject(new Error("nobody listens")) }, 0);
  await assert.rejects(link.startOrFail(), /nobody listens/);
  assert.deepEqual(
    states.map((state) => state.kind),
    ["starting", "lost", "stopped"],
  );
  await assert.rejects(link.call("model/list", {}), EngineDown);
  assert.throws(() => link.respond(1, { result: {} }), EngineDown);
});

test("an engine that is lost while its threads are joined is counted once and opened again", async () => {
  let attempts = 0;
  const { link, servers, states } = stage({
    async ready() {
      if (++attempts > 1) return;
      servers[0]?.close();
      await link.call("model/list", {});
    },
  });
  await link.start();
  await link.call("model/list", {});
  assert.deepEqual(
    states.map((state) => state.kind),
    ["starting", "lost", "starting", "running"],
  );
  link.stop();
});

test("messages of a foreign engine are accepted only if valid, and its requests are answered by id", async () => {
  const received: string[] = [];
  const asked: unknown[] = [];
  const { link, servers, answers, warnings } = stage({
    isForeign: () => true,
    notification: ({ method }) => void received.push(method),
    request({ id, method }) {
      if (method === "breaks") throw new Error("a bug of ours");
      asked.push(id);
    },
  });
  await link.start();
  const [server] = servers;
  server?.notify("turn/completed", { threadId: 5 });
  server?.notify("warning", { message: "fits" });
  for (const [id, method, params] of [
    [1, "item/commandExecution/requestApproval", { threadId: 7 }],
    [2, "of/tomorrow", []],
    [3, "breaks", {}],
  ])
    server?.send(JSON.stringify({ id, method, params }));
  await assert.rejects(link.call("turn/start", { threadId: "t", input: [] }), /does not fit the protocol/);
  assert.deepEqual([received, asked], [["warning"], [2]]);
  link.respond(2, { result: "later" });
  await link.call("model/list", {});
  assert.deepEqual(Object.fromEntries(answers), {
    1: "the question does not fit the protocol",
    2: "later",
    3: "the request could not be handled",
  });
  assert.equal(warnings.length, 4, "three of the engine, one of ours");
  link.stop();
});
