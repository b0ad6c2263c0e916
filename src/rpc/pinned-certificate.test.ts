import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { makeCertificates } from "../../test/support/certificates.ts";
import { scratch } from "../../test/support/process.ts";
import { connectWebSocket, listenWebSocket } from "./websocket.ts";

test("a certificate that is known by its digest needs no issuer, and no token is sent to any other", async (t) => {
  const folder = scratch(t);
  const made = makeCertificates(folder, "worker.invalid");
  if (made === undefined) return t.skip("openssl is not installed");
  const seen: unknown[] = [];
  const listener = await listenWebSocket({
    host: "127.0.0.1",
    port: 0,
    tls: { cert: String(made.cert), key: String(made.key) },
    checkToken(token) {
      seen.push(token);
      return undefined;
    },
    onConnection(transport, request) {
      seen.push(request.headers["parley-team"]);
      transport.onMessage = (text) => transport.send(text);
    },
  });
  t.after(() => listener.close());
  assert.match(listener.url, /^wss:/);
  const options = { token: "secret", headers: { "parley-team": "a" } };
  await assert.rejects(connectWebSocket(listener.url, { ...options, certSha256: "00".repeat(32) }), /another certificate/);
  await assert.rejects(connectWebSocket(listener.url, options));
  assert.deepEqual(seen, []);
  const certSha256 = new X509Certificate(made.cert).fingerprint256;
  const transport = await connectWebSocket(listener.url, { ...options, certSha256 });
  assert.deepEqual(seen, ["secret", "a"]);
  const echoed = new Promise((resolve) => {
    transport.onMessage = resolve;
  });
  transport.send("{}");
  assert.equal(await echoed, "{}");
  transport.close();
});
