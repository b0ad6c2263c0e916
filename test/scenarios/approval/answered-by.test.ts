/** Several clients on one thread: who answered a request, and how the others are notified. */
import assert from "node:assert/strict";
import { AnsweredElsewhere } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

verifies(
  "approval.answeredBy",
  async ({ app, workspace }) => {
    const first = await app({ turns: [[{ run: "echo hello" }, { say: "done" }]] });
    const second = await app();
    const { thread } = await first.call("thread/start", { cwd: workspace, approvalPolicy: "untrusted", sandbox: "read-only" });
    await second.call("thread/resume", { threadId: thread.id });
    const withdrawn = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    second.answer("item/commandExecution/requestApproval", async (_params, signal) => {
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      withdrawn.resolve(signal.reason);
      throw signal.reason;
    });
    first.answer("item/commandExecution/requestApproval", async () => {
      await asked.promise;
      return { decision: "accept" };
    });
    const resolved = Promise.withResolvers<object>();
    const ended = Promise.withResolvers<void>();
    first.on("serverRequest/resolved", (params) => resolved.resolve(params));
    first.on("turn/completed", () => ended.resolve());
    await first.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
    await ended.promise;
    const reason = await withdrawn.promise;
    assert.ok(reason instanceof AnsweredElsewhere);
    assert.equal(reason.by, "Parley client");
    assert.deepEqual(Object.keys(await resolved.promise).sort(), ["requestId", "threadId"]);
  },
  { legs: ["memory", "websocket", "unix"] },
);
