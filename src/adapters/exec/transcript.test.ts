import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../client/client.ts";
import { Transcript } from "./transcript.ts";

/** Escape sequences that set the clipboard or title, or query the terminal so that its reply is typed; as escapes, as C1 controls, and with a direction mark. */
const evil = "\u001b]52;c;QQ==\u0007\u001b]0;t\u001b\\\u001b[6n\u009d52;c;QQ==\u009c\u009b6n\u0090$qm\u009c\u202ex\u202c\r\u0008\u007f";

/** Collects what the transcript prints for a client's notifications. */
function openTranscript(colours: boolean) {
  const listeners = new Map<string, (params: unknown) => void>();
  let text = "";
  const transcript = new Transcript((part) => {
    text += part;
  }, colours);
  transcript.listen({ on: (method: string, listener: (params: unknown) => void) => listeners.set(method, listener) } as unknown as Client);
  const settings = { cwd: `/w${evil}`, model: evil, modelProvider: evil, approvalPolicy: "never", sandbox: { type: "readOnly" } };
  transcript.opened({ ...settings, thread: { id: "T" } } as Parameters<Transcript["opened"]>[0], { version: "1", summaries: "auto" });
  return {
    transcript,
    text: () => text,
    notify: (method: string, params: object) => listeners.get(method)?.({ threadId: "T", ...params }),
  };
}

test("no text of a model, a command or a server can control the terminal, whole or in chunks", () => {
  for (const colours of [false, true]) {
    const { transcript, text, notify } = openTranscript(colours);
    transcript.prompt(evil);
    for (const piece of evil) notify("item/agentMessage/delta", { itemId: "m", delta: piece });
    const command = { type: "commandExecution", id: "c", command: evil, cwd: evil, aggregatedOutput: evil, exitCode: 1, status: "failed" };
    for (const item of [
      command,
      { type: "agentMessage", id: "n", text: evil },
      { type: "reasoning", id: "r", summary: [evil] },
      { type: "fileChange", id: "f", changes: [{ path: evil, kind: { type: "add" }, diff: evil }], status: "completed" },
      { type: "mcpToolCall", id: "t", server: evil, tool: evil, arguments: { [evil]: evil }, status: "failed", error: { message: evil } },
      { type: "webSearch", id: "w", query: evil },
      { type: "enteredReviewMode", id: "v", review: evil },
    ]) {
      notify("item/started", { item });
      notify("item/completed", { item });
    }
    notify("turn/plan/updated", { plan: [{ step: evil, status: "pending" }] });
    notify("warning", { message: evil });
    notify("configWarning", { summary: evil });
    notify("error", { error: { message: evil }, willRetry: false });
    const own = text().replaceAll(/\u001b\[[\d;]*m/g, colours ? "" : "$&");
    assert.doesNotMatch(own, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
});

test("a command is shown unchanged, with invisible characters escaped", () => {
  const { text, notify } = openTranscript(false);
  notify("item/started", { item: { type: "commandExecution", id: "c", command: "ls \u202e\r\u2003x", cwd: "/w", status: "inProgress" } });
  assert.match(text(), /run ls \\u\{202e\}\\r\\u\{2003\}x in \/w/);
});
