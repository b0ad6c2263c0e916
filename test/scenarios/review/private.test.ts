/** A review is a separate run: it neither changes the thread's settings nor adds its own work to the thread's history. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import type { SeenRequest } from "../../support/model-mocks/server.ts";
import { Vendor, type Wish } from "../../support/model-mocks/vendor.ts";
import { verifies } from "../../support/verifies.ts";

const verdict = JSON.stringify({
  findings: [{ title: "[P1] Off by one", body: "skips the last row" }],
  overall_explanation: "Mostly fine.",
});
const textOf = ({ body }: SeenRequest): string => JSON.stringify(body);
const isReview = (request: SeenRequest): boolean => textOf(request).includes("You review a change");
const isCompaction = (request: SeenRequest): boolean => textOf(request).includes("Write a hand-over");
const command = (cmd: string, id: string) => ({ calls: [{ id, name: "exec_command", args: JSON.stringify({ cmd }) }] });

async function review(client: Client, threadId: string, meanwhile: () => Promise<void> = async () => {}): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const stops = [
    client.on("turn/completed", ({ turn }) => ended.resolve(turn.status)),
    client.on("item/started", ({ item }) => item.type === "commandExecution" && begun.resolve()),
  ];
  await client.call("review/start", { threadId, target: { type: "uncommittedChanges" } });
  await Promise.race([begun.promise, ended.promise]);
  await meanwhile();
  const status = await ended.promise;
  for (const stop of stops) stop();
  return status;
}

verifies("review.settings", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ run: "sleep 0.5" }, { say: verdict }], [{ say: "ok" }]] });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "on-request", sandbox: "danger-full-access" });
  const changed = { approvalPolicy: "untrusted", sandboxPolicy: { type: "readOnly" }, model: "scripted-2" } as const;
  await review(client, thread.id, async () => {
    await client.call("thread/settings/update", { threadId: thread.id, ...changed });
  });
  const now = await client.call("thread/resume", { threadId: thread.id });
  assert.deepEqual([now.approvalPolicy, now.sandbox.type, now.model], ["untrusted", "readOnly", "scripted-2"]);
});

verifies("review.private", async ({ app, workspace, restart }) => {
  let calls = 0;
  const think = (request: SeenRequest): Wish => {
    if (!isReview(request)) return { text: "done" };
    return ++calls % 2 === 1 ? command("echo PRIVATE-WORK", `call_review_${calls}`) : { text: verdict, summary: "PRIVATE-THOUGHT" };
  };
  await using vendor = new Vendor({ wire: "responses", think });
  const client = await app({ config: await vendor.config() });
  const settings = { modelProvider: "mock", model: "gpt-5.5", approvalPolicy: "never", sandbox: "danger-full-access" } as const;
  const thread = await client.startThread({ cwd: workspace, ...settings });
  await thread.run("hello");
  assert.equal(await review(client, thread.id), "completed");
  await thread.run("live");
  const live = textOf(vendor.requests.at(-1) as SeenRequest);
  assert.ok(live.includes("Off by one") && !live.includes("PRIVATE"), "the findings alone");
  await restart();
  await (await (await app()).resumeThread(thread.id)).run("resumed");
  const resumed = textOf(vendor.requests.at(-1) as SeenRequest);
  assert.ok(resumed.includes("Off by one") && !resumed.includes("PRIVATE"), "the findings alone, from the disk too");
  assert.ok(!resumed.includes("call_review"));
});

verifies("review.shellBeside", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [{ run: "sleep 1" }, { say: verdict }],
      [{ expect: { user: "what did I run" } }, { say: "{{user}}" }],
    ],
    config: "",
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const outputs: unknown[] = [];
  await review(client, thread.id, async () => {
    const done = Promise.withResolvers<void>();
    const stop = client.on("item/completed", ({ item }) => {
      if (item.type !== "commandExecution" || item.source !== "userShell") return;
      outputs.push(item.aggregatedOutput);
      done.resolve();
    });
    await client.call("thread/shellCommand", { threadId: thread.id, command: "echo of-my-own" });
    await done.promise;
    stop();
  });
  assert.match(String(outputs[0]), /of-my-own/);
  const before = readFileSync((await client.call("thread/read", { threadId: thread.id })).thread.path ?? "", "utf8");
  assert.match(before, /user_shell_command.*of-my-own/);
  const raw: string[] = [];
  client.on("rawResponseItem/completed", ({ item }) => raw.push(JSON.stringify(item)));
  assert.equal((await thread.run("what did I run")).text, "what did I run");
});

verifies("review.context", async ({ app, workspace }) => {
  writeFileSync(path.join(workspace, "AGENTS.md"), "Tabs are forbidden here.");
  let calls = 0;
  const think = (): Wish => (++calls === 1 ? command("touch written-by-reviewer; echo tried", "call_1") : { text: verdict });
  await using vendor = new Vendor({ wire: "responses", think });
  const client = await app({ config: await vendor.config() });
  const settings = { modelProvider: "mock", model: "gpt-5.5", approvalPolicy: "on-request", sandbox: "workspace-write" } as const;
  const thread = await client.startThread({ cwd: workspace, ...settings });
  assert.equal(await review(client, thread.id), "completed");
  const [first] = vendor.requests;
  assert.ok(first !== undefined);
  for (const part of ["Tabs are forbidden here", `<cwd>${workspace}</cwd>`, "<sandbox_mode>read-only", "Sandbox: read-only"])
    assert.ok(textOf(first).includes(part), part);
  // biome-ignore lint/suspicious/noExplicitAny: request bodies
  const offered = ((first.body as any).tools as { name: string }[]).map(({ name }) => name).sort();
  assert.deepEqual(offered, ["exec_command", "view_image", "write_stdin"]);
  assert.ok(!existsSync(path.join(workspace, "written-by-reviewer")));
});

verifies("review.compacts", async ({ app, workspace }) => {
  let calls = 0;
  const think = (request: SeenRequest): Wish => {
    if (isCompaction(request)) return { text: `HAND-OVER ${"What was looked at. ".repeat(20)}` };
    return ++calls <= 8 ? command(`echo look ${calls}; seq 1500`, `call_${calls}`) : { text: verdict };
  };
  await using vendor = new Vendor({ wire: "responses", window: 12_000, think });
  const client = await app({ config: `model_context_window = 12000\nparley.clear_old_results = false\n${await vendor.config()}` });
  const settings = { modelProvider: "mock", model: "gpt-5.5", approvalPolicy: "never", sandbox: "danger-full-access" } as const;
  const thread = await client.startThread({ cwd: workspace, ...settings });
  const reviews: string[] = [];
  client.on("item/completed", ({ item }) => item.type === "exitedReviewMode" && reviews.push(item.review));
  assert.equal(await review(client, thread.id), "completed");
  assert.match(reviews.join(), /Off by one/);
  assert.ok(vendor.requests.some(isCompaction));
  assert.ok(vendor.requests.filter(isCompaction).every(isReview), "the reviewer's own history is compacted");
});
