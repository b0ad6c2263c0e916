import assert from "node:assert/strict";
import { test } from "node:test";
import { openClient } from "../../client/client.ts";
import { Peer } from "../../rpc/peer.ts";
import { memoryPair } from "../../rpc/transport.ts";
import { signInByAccount } from "./login.ts";

/** A server that knows one login, with the number of its subscriptions that the client still holds. */
async function stage() {
  const [near, far] = memoryPair();
  const server = new Peer(far, {
    request: (method) =>
      method === "initialize"
        ? { userAgent: "a server" }
        : { type: "chatgptDeviceCode", loginId: "mine", userCode: "ABCD-1234", verificationUrl: "https://example.org/device" },
    notification: () => {},
    closed: () => {},
  });
  const client = await openClient(near);
  let listeners = 0;
  const counted = {
    call: client.call.bind(client),
    ended: client.ended,
    on: ((method, listener) => {
      listeners++;
      const stop = client.on(method, listener);
      return () => {
        listeners--;
        stop();
      };
    }) as typeof client.on,
  };
  const completed = (loginId: string, error: string | null): void =>
    server.notify("account/login/completed", { loginId, success: error === null, error });
  return { server, client: counted, completed, listeners: () => listeners };
}

test("signing in ends with its own login, not with another client's, and stops listening", async () => {
  const { client, completed, listeners } = await stage();
  const shown: string[] = [];
  const ended = signInByAccount(client, "chatgptDeviceCode", (text) => {
    shown.push(text);
    completed("another", "the code was refused");
    completed("mine", null);
  });
  assert.equal(await ended, undefined);
  assert.deepEqual(shown, ["Open https://example.org/device in a browser and enter the code ABCD-1234"]);
  assert.equal(listeners(), 0);
});

test("a login that fails says why, and a server that ends leaves nobody waiting", async () => {
  const { server, client, completed, listeners } = await stage();
  assert.equal(await signInByAccount(client, "chatgptDeviceCode", () => completed("mine", "too late")), "too late");
  await assert.rejects(
    signInByAccount(client, "chatgptDeviceCode", () => server.close()),
    { code: "connection_closed" },
  );
  assert.equal(listeners(), 0);
});
