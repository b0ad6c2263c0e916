import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { LinesTransport } from "./stdio.ts";

test("a client that never reads is disconnected after 128 MB, receives only whole lines, and nothing more is kept for it", () => {
  let taken = "";
  const stuck = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer) {
      taken += chunk.toString("latin1", 0, 20); // and never calls back that it was written
    },
  });
  const transport = new LinesTransport(new PassThrough(), stuck);
  let ended: Error | undefined;
  transport.onClose = (error) => {
    ended = error;
  };
  const text = JSON.stringify("x".repeat(8 * 1024 * 1024));
  let sent = 0;
  for (; sent < 40 && ended === undefined; sent++) transport.send(text);
  assert.match(String(ended?.message), /too far behind in reading/);
  assert.ok(sent >= 16 && sent <= 17, `${sent} messages of 8 MB were taken`);
  transport.send(text);
  assert.ok(transport.backlog < 136 * 1024 * 1024);
  assert.ok(taken.startsWith('"xxx'));
});

test("long and short messages arrive as lines, in order, with all their characters", () => {
  const taken: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk);
      done();
    },
  });
  const transport = new LinesTransport(new PassThrough(), output);
  const messages = ["short", "é€😀".repeat(30_000), "x".repeat(200_000), "", "\u2028 end"].map((text) => JSON.stringify(text));
  for (const message of messages) transport.send(message);
  transport.close();
  assert.equal(Buffer.concat(taken).toString(), `${messages.join("\n")}\n`);
});

test("what must not wait for the end of the tick leaves at once, and nothing is sent twice", async () => {
  const taken: string[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      done();
    },
  });
  const transport = new LinesTransport(new PassThrough(), output);
  transport.send("1");
  transport.send("2");
  assert.deepEqual(taken, []);
  transport.flush();
  assert.deepEqual(taken, ["1\n2\n"]);
  transport.send("3");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(taken, ["1\n2\n", "3\n"]);
});
