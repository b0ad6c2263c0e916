import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, openClient } from "../../../../src/client/client.ts";
import { Peer } from "../../../../src/rpc/peer.ts";
import { memoryPair } from "../../../../src/rpc/transport.ts";
import { Link, type LinkPorts, type LinkState, ServerDown } from "./link.ts";

/** A server of a few lines; `servers` holds the ends, so that a test can let one crash. */
function stage(part: Partial<LinkPorts> = {}) {
  const servers: Peer[] = [];
  const states: LinkState[] = [];
  const waiting: { kind: LinkState["kind"]; resolve: () => void }[] = [];
  const open = async (): Promise<Client> => {
    const [near, far] = memoryPair();
    servers.push(
      new Peer(far, {
        request: (method) => (method === "initialize" ? { userAgent: `server ${servers.length}` } : { data: [] }),
        notification: () => {},
        closed: () => {},
      }),
    );
    return openClient(near);
  };
  const link = new Link({
    open,
    ready: async () => {},
    notification: () => {},
    question: async () => ({}),
    givesUp: () => true,
    now: () => 0,
    ...part,
    state(state) {
      states.push(state);
      for (const one of waiting.filter((w) => w.kind === state.kind)) one.resolve();
    },
  });
  const reach = (kind: LinkState["kind"]): Promise<void> => new Promise((resolve) => waiting.push({ kind, resolve }));
  return { link, servers, states, reach };
}

test("a server that ends is opened again, and what is asked meanwhile waits for it", async () => {
  const { link, servers, reach } = stage();
  await link.start();
  const lost = reach("lost");
  servers[0]?.close();
  await lost;
  assert.deepEqual(await link.call("model/list", {}), { data: [] });
  assert.deepEqual(link.state, { kind: "running", userAgent: "server 2" });
  link.stop();
});

test("one that only ends is given up, and a person starts it again", async () => {
  let fails = true;
  const good = stage();
  const { link, states, reach } = stage({
    open: () =>
      fails ? Promise.reject(new Error("exit code 1: no such model")) : good.link.start().then(() => good.link.client as Client),
  });
  const failed = reach("failed");
  await link.start();
  await failed;
  assert.equal(states.filter((s) => s.kind === "lost").length, 4);
  assert.deepEqual(states.at(-1), { kind: "failed", reason: "exit code 1: no such model" });
  await assert.rejects(link.call("model/list", {}), ServerDown);
  fails = false;
  await link.start();
  assert.equal(link.state.kind, "running");
  link.stop();
});

test("stopping ends the connection and everything that waits for one", async () => {
  const never = Promise.withResolvers<Client>();
  const { link } = stage({ open: () => never.promise });
  const starting = link.start();
  const call = link.call("model/list", {});
  link.stop();
  await assert.rejects(call, ServerDown);
  never.reject(new Error("too late"));
  await starting;
  assert.equal(link.state.kind, "stopped");
});
