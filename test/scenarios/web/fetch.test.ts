/** Web pages that the model fetches: which need approval, what is shown, what is never reached. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

const fetches = (url: string) => ({ call: "web_fetch", with: { url } });

verifies("web.fetch", async ({ wire, workspace }) => {
  const client = await wire({
    turns: [
      [
        { expect: { tools: ["web_fetch"] } },
        fetches("https://pages.invalid/a"),
        { expect: { output: "/does not want pages\\.invalid to be reached/" } },
        fetches("https://pages.invalid/b"),
        { expect: { output: "/web_fetch: pages\\.invalid/" } },
        fetches("https://pages.invalid/c"),
        { expect: { output: "/web_fetch: pages\\.invalid/" } },
        fetches("http://169.254.169.254/latest/meta-data"),
        { expect: { output: "/is an address of this machine or its network/" } },
        { say: "done" },
      ],
      [fetches("https://other.invalid/"), { expect: { output: "/allows no questions/" } }, { say: "done" }],
    ],
    config: 'sandbox_mode = "read-only"\napproval_policy = "on-request"',
  });
  await client.initialize({ experimentalApi: true });
  const { result } = await client.ask("thread/start", { cwd: workspace });
  const threadId = result.thread.id;
  await client.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  const asked: Message[] = [];
  for (const decision of ["decline", "acceptForSession"]) {
    const isNext = (m: Message): boolean => m.method === "item/commandExecution/requestApproval" && !asked.some((old) => old.id === m.id);
    const question = await client.until(isNext, "a question about a host");
    asked.push(question);
    client.send({ id: question.id, result: { decision } });
  }
  const { turn } = (await client.notification("turn/completed")).params;
  assert.deepEqual([turn.status, turn.items[0]?.text], ["completed", "done"]);
  assert.deepEqual(
    asked.map(({ params }) => [params.command, params.networkApprovalContext]),
    ["a", "b"].map((page) => [`web_fetch https://pages.invalid/${page}`, { host: "pages.invalid", protocol: "https" }]),
  );
  const shown = client.received
    .filter((m) => m.method === "item/completed" && m.params.item.type === "webSearch")
    .map((m) => m.params.item);
  assert.deepEqual(
    shown.map((item) => item.action),
    ["a", "b", "c"].map((page) => ({ type: "openPage", url: `https://pages.invalid/${page}` })),
  );
  await client.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }], approvalPolicy: "never" });
  const isEnd = (m: Message): boolean => m.method === "turn/completed" && m.params.turn.id !== turn.id;
  assert.equal((await client.until(isEnd, "the second turn's end")).params.turn.items[0]?.text, "done");
});
