/** A request refused because of one part is sent again without that part; one that does not fit goes to a second model. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { TurnFailed } from "../../../src/client/client.ts";
import type { MockReply } from "../../support/model-mocks/frames.ts";
import type { SeenRequest } from "../../support/model-mocks/server.ts";
import { sharedPrefix, Vendor, type Wish } from "../../support/model-mocks/vendor.ts";
import { verifies } from "../../support/verifies.ts";

const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
const textOf = ({ body }: SeenRequest): string => JSON.stringify(body);
const isCompaction = (request: SeenRequest): boolean => textOf(request).includes("Write a hand-over");

verifies("agent.badPicture", async ({ app, workspace, restart }) => {
  const file = path.join(workspace, "odd.png");
  writeFileSync(
    file,
    Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452000001000000010008060000005c72a866", "hex"), Buffer.alloc(3000)]),
  );
  const refused = { status: 400, message: "messages.2.content.0.image.source.base64.data: Could not process image" };
  const hasImage = (request: SeenRequest): boolean => textOf(request).includes('"type":"image"');
  await using vendor = new Vendor({ wire: "anthropic", think: (request): Wish => (hasImage(request) ? refused : { text: "done" }) });
  const client = await app({ config: await vendor.config() });
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "claude-sonnet-4-5", ...free });
  await thread.run("hello");
  const run = await thread.run([
    { type: "text", text: "look", text_elements: [] },
    { type: "localImage", path: file },
  ]);
  assert.equal(run.text, "done");
  assert.equal(vendor.requests.length, 3);
  assert.match(warnings.join(), /refused an image/);
  assert.match(textOf(vendor.requests.at(-1) as SeenRequest), /An image was here/);
  await restart();
  const again = await (await app()).resumeThread(thread.id);
  assert.equal((await again.run("go on")).text, "done");
  assert.ok(vendor.requests.length <= 5, "after a restart it is refused once more at most");
});

verifies("agent.badTool", async ({ app, workspace }) => {
  const odd = (request: SeenRequest): number =>
    // biome-ignore lint/suspicious/noExplicitAny: request bodies
    ((request.body as any).tools as { name: string }[]).findIndex(({ name }) => name.startsWith("odd"));
  const think = (request: SeenRequest): Wish =>
    odd(request) === -1
      ? { text: "done" }
      : { status: 400, message: `tools.${odd(request)}.custom.input_schema: JSON schema is invalid. It must match draft 2020-12` };
  await using vendor = new Vendor({ wire: "anthropic", think });
  const client = await app({ config: await vendor.config() });
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const inputSchema = { type: "object", properties: {} };
  const dynamicTools = ["fine", "odd_one", "odd_two", "last"].map((name) => ({ name, description: name, inputSchema }));
  const thread = await client.startThread({
    ...{ cwd: workspace, modelProvider: "mock", model: "claude-sonnet-4-5", ...free },
    dynamicTools: dynamicTools as never,
  });
  assert.equal((await thread.run("hello")).text, "done");
  assert.equal(vendor.requests.length, 3);
  assert.deepEqual(
    warnings.map((text) => /the tool `(\w+)`/.exec(text)?.[1]),
    ["odd_one", "odd_two"],
  );
  assert.equal((await thread.run("again")).text, "done");
  assert.equal(vendor.requests.length, 4, "it is not offered again");
  assert.match(textOf(vendor.requests.at(-1) as SeenRequest), /"name":"fine".*"name":"last"/s);
});

verifies("agent.fallback", async ({ app, workspace }) => {
  let isBusy = true;
  const think = ({ body }: SeenRequest): Wish =>
    isBusy && body["model"] === "first" ? { status: 529, message: "Overloaded" } : { text: String(body["model"]) };
  await using vendor = new Vendor({ wire: "chat", think });
  const config = `parley.fallback_model = "second"\nparley.fallback_model_provider = "mock"\n${await vendor.config()}`;
  const client = await app({ config });
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "first", ...free });
  assert.equal((await thread.run("hello")).text, "second");
  assert.match(warnings.join(), /first is overloaded.*continues with second/);
  isBusy = false;
  assert.equal((await thread.run("hello")).text, "first", "the next turn asks the first again");
});

verifies("agent.clearResults", async ({ app, workspace, restart }) => {
  let worked = 0;
  const think = (_request: SeenRequest, n: number): MockReply =>
    ++worked % 3 === 0
      ? { text: "done" }
      : { calls: [{ id: `call_${n}`, name: "exec_command", args: JSON.stringify({ cmd: `echo result ${n}; seq 3000` }) }] };
  await using vendor = new Vendor({ wire: "responses", think });
  const client = await app({ config: `model_auto_compact_token_limit = 34000\n${await vendor.config()}` });
  let thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "gpt-5.5", ...free });
  for (let turn = 0; turn < 9; turn++) {
    if (turn === 7) {
      await restart();
      thread = await (await app()).resumeThread(thread.id);
    }
    assert.equal((await thread.run(`turn ${turn}`)).text, "done");
  }
  assert.equal(vendor.requests.filter(isCompaction).length, 0);
  const cleared = vendor.requests.map((request) => textOf(request).match(/old result was cleared/g)?.length ?? 0);
  let cuts = 0;
  for (const [i, request] of vendor.requests.entries()) {
    const before = vendor.requests[i - 1];
    if (before === undefined || sharedPrefix(before, request) === 1) continue;
    cuts++;
    const news = (cleared[i] ?? 0) - (cleared[i - 1] ?? 0);
    assert.ok(news >= 3, `the prefix changed at request ${i} for ${news} cleared results`);
  }
  assert.ok(cuts > 0);
  const last = textOf(vendor.requests.at(-1) as SeenRequest);
  assert.match(last, /old result was cleared/);
  assert.ok(last.includes("turn 0") && last.includes("result 26"), "all that was said is there, and the newest results");
});

verifies("agent.missingKey", async ({ app, workspace }) => {
  await using vendor = new Vendor({ wire: "chat", think: () => ({ text: "done" }) });
  const client = await app({ config: await vendor.config('env_key = "PARLEY_TEST_UNSET_KEY"\n') });
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "m", ...free });
  await assert.rejects(thread.run("hello"), (error) => error instanceof TurnFailed && /PARLEY_TEST_UNSET_KEY/.test(error.message));
  assert.equal(vendor.requests.length, 0, "nothing goes out without its key");
});

for (const [wire, model] of [
  ["chat", "qwen3-coder"],
  ["anthropic", "claude-sonnet-4-5"],
] as const)
  verifies("agent.cutCall", async ({ app, workspace }) => {
    const cut: MockReply = {
      text: "I write it.",
      isCut: true,
      calls: [{ id: "call_1", name: "exec_command", args: '{"cmd":"echo never r' }],
    };
    let isHopeless = false;
    const think = (_request: SeenRequest, n: number): Wish => (isHopeless || n <= 2 ? cut : { text: "done" });
    await using vendor = new Vendor({ wire, think });
    const client = await app({ config: await vendor.config() });
    const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model, ...free });
    const run = await thread.run("write a long file");
    assert.equal(run.text, "done", wire);
    assert.ok(!run.items.some(({ type }) => type === "commandExecution"), "nothing was carried out");
    assert.match(textOf(vendor.requests[1] as SeenRequest), /cut off at the output limit.*smaller pieces/s);
    isHopeless = true;
    await assert.rejects(
      thread.run("again"),
      (error) => error instanceof TurnFailed && /output limit inside a tool call 3 times/.test(error.message),
    );
    assert.equal(vendor.requests.length, 3 + 3);
  });
