/** The second secret of a signed-in browser: what a cookie that leaked to another port, or was planted by one, can do without it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminToken, askUpgrade, PlayedEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";

async function opened(t: TestContext, folder?: string): Promise<TestManager> {
  const scratch = scratchFolder();
  const it = await startManager({ engine: new PlayedEngine(), folder: folder ?? scratch.folder, workspace: "/work" });
  t.after(async () => {
    await it.close();
    scratch.remove();
  });
  return it;
}
interface Browser {
  readonly cookie: string;
  readonly key: string;
  readonly token: string;
}
/** Signs in as the page does. */
async function browser(it: TestManager, scope: "read" | "admin" = "admin"): Promise<Browser> {
  const { status, body, headers } = await it.call(
    "POST /api/auth/sign-in",
    { code: it.backend.access.makeLink(scope, undefined).code },
    {},
  );
  assert.equal(status, 200);
  assert.equal(body["token"], undefined, "the cookie's token is for the cookie alone");
  const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
  return { cookie, key: String(body["pageKey"]), token: cookie.slice(cookie.indexOf("=") + 1) };
}
const full = ({ cookie, key }: Browser): Record<string, string> => ({ cookie, "x-parley-key": key });
const me = async (it: TestManager, headers: Record<string, string>): Promise<number> =>
  (await it.call("GET /api/auth/me", undefined, headers)).status;
const stream = async (it: TestManager, headers: Record<string, string>): Promise<number> =>
  (await askUpgrade(it.url, "/api/stream", headers)).status;

test("a cookie is not sufficient without the page's key, nor the key without the cookie", async (t) => {
  const it = await opened(t);
  const own = await browser(it);
  const other = await browser(it);
  assert.equal(await me(it, full(own)), 200);
  assert.equal(await stream(it, { cookie: own.cookie, "sec-websocket-protocol": `parley.stream, parley.key.${own.key}` }), 101);
  const halves: Record<string, string>[] = [
    { cookie: own.cookie },
    { "x-parley-key": own.key },
    { cookie: own.cookie, "x-parley-key": other.key },
    { cookie: own.cookie, "x-parley-key": own.token },
    { cookie: own.cookie, "x-parley-key": "" },
    { authorization: `Bearer ${own.token}` },
    { authorization: `Bearer ${own.key}` },
    { authorization: `Bearer ${own.token}`, "x-parley-key": own.key },
  ];
  for (const headers of halves) {
    const what = JSON.stringify(Object.keys(headers));
    assert.equal(await me(it, headers), 401, what);
    assert.equal((await it.call("POST /api/auth/links", { scope: "admin" }, headers)).status, 401, what);
    assert.equal((await it.call("GET /api/audit/export", undefined, headers)).status, 401, what);
    assert.equal(await stream(it, headers), 401, what);
    assert.equal((await askUpgrade(it.url, "/rpc", headers)).status, 401, what);
  }
  assert.equal(await stream(it, { cookie: own.cookie, "sec-websocket-protocol": `parley.stream, parley.key.${other.key}` }), 401);
  assert.equal(await stream(it, { cookie: own.cookie, "sec-websocket-protocol": "parley.stream" }), 401);
  assert.equal((await askUpgrade(it.url, "/rpc", full(own))).status, 401, "a browser does not open the protocol itself");
  assert.equal(await me(it, { authorization: `Bearer ${adminToken}` }), 200);
});

test("a page on another port can neither read nor change anything with the cookie of its requests", async (t) => {
  const it = await opened(t);
  const own = await browser(it);
  for (const more of [{ "sec-fetch-site": "same-site" }, { origin: "http://127.0.0.1:3000" }, { "sec-fetch-site": "cross-site" }])
    assert.equal(await me(it, { ...full(own), ...more }), 403, JSON.stringify(more));
  assert.equal(await me(it, { ...full(own), "sec-fetch-site": "same-origin", origin: it.url }), 200);
});

test("a planted cookie does not shadow ours, and one that replaced ours is reported", async (t) => {
  const it = await opened(t);
  const own = await browser(it);
  const planted = `${own.cookie.slice(0, own.cookie.indexOf("="))}=planted`;
  for (const cookie of [`${planted}; ${own.cookie}`, `${own.cookie}; ${planted}`, `a=b; ${planted}; ${own.cookie}; c`])
    assert.equal(await me(it, { ...full(own), cookie }), 200, cookie);
  const { status, body } = await it.call("GET /api/auth/me", undefined, { ...full(own), cookie: planted });
  assert.deepEqual([status, body["code"]], [401, "cookie_replaced"]);
  assert.match(String(body["message"]), /parley manager link/);
  const many = Array(5000).fill(planted).join("; ").slice(0, 8000);
  assert.equal(await me(it, { ...full(own), cookie: many }), 401);
});

test("both secrets survive a restart of the manager, and end with the device", async (t) => {
  const { folder, remove } = scratchFolder();
  t.after(remove);
  const before = await startManager({ engine: new PlayedEngine(), folder, workspace: "/work" });
  const own = await browser(before);
  const { port } = before.served;
  await before.close();
  const it = await startManager({ engine: new PlayedEngine(), folder, workspace: "/work", port });
  t.after(() => it.close());
  assert.equal(await me(it, full(own)), 200);
  assert.equal((await it.call("POST /api/auth/sign-out", {}, full(own))).status, 200);
  assert.equal(await me(it, full(own)), 401);
});

test("a device that was signed in before browsers had a key must sign in again", async (t) => {
  const it = await opened(t);
  const own = await browser(it);
  const [device] = it.backend.store.state.devices;
  assert.ok(device);
  const { pageDigest: _, ...old } = device;
  it.backend.store.change({ devices: [old] });
  for (const headers of [{ cookie: own.cookie }, full(own), { authorization: `Bearer ${own.token}` }]) {
    const { status, body } = await it.call("GET /api/auth/me", undefined, headers);
    assert.deepEqual([status, body["code"]], [401, "sign_in_again"], JSON.stringify(Object.keys(headers)));
    assert.match(String(body["message"]), /parley manager link/);
  }
  assert.equal((await it.call("GET /", undefined, { cookie: own.cookie })).status, 503, "the page itself is still served");
  assert.equal((await it.call("GET /api/health", undefined, { cookie: own.cookie })).status, 200);
});

test("a token that a script signed in with is a bearer token and no cookie", async (t) => {
  const it = await opened(t);
  const { code } = it.backend.access.makeLink("read", undefined);
  const { body, headers } = await it.call("POST /api/auth/sign-in", { code, bearer: true }, {});
  assert.deepEqual([headers.get("set-cookie"), body["pageKey"]], [null, undefined]);
  const token = String(body["token"]);
  assert.equal(await me(it, { authorization: `Bearer ${token}` }), 200);
  const name = (await browser(it)).cookie.split("=")[0];
  assert.equal(await me(it, { cookie: `${name}=${token}`, "x-parley-key": token }), 401);
});
