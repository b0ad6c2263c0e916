import assert from "node:assert/strict";
import { test } from "node:test";
import { type Conversation, emptyConversation } from "../state/conversation.ts";
import { lineText } from "../text/spans.ts";
import { createTheme } from "../text/theme.ts";
import { readStatusLine, statusLine } from "./status-line.ts";

const place = { width: 80, theme: createTheme({ brightness: "dark", depth: 24 }), home: "/home/me" };
const tokensOf = (totalTokens: number) => ({
  totalTokens,
  inputTokens: totalTokens - 500,
  cachedInputTokens: 0,
  outputTokens: 500,
  reasoningOutputTokens: 0,
});
const state: Conversation = {
  ...emptyConversation,
  threadId: "T",
  settings: {
    cwd: "/home/me/project",
    model: "big-model",
    provider: "p",
    effort: "high",
    approvalPolicy: "on-request",
    sandbox: { type: "workspaceWrite" },
    mode: "default",
  },
  usage: { total: tokensOf(12_500), last: tokensOf(40_000), modelContextWindow: 200_000 },
};

test("the line shows what was chosen, in that order, and leaves out what is not known", () => {
  const { items, unknown } = readStatusLine(["context-usage", "model-name", "used-tokens", "git-branch", "project", "thread-title"]);
  assert.deepEqual(unknown, ["git-branch"]);
  assert.equal(lineText(statusLine(state, items, place)), "  20% context used · big-model · 13k tokens · project · T");
  const { usage: _, ...fresh } = state;
  assert.equal(lineText(statusLine({ ...fresh, usage: undefined }, items, place)), "  big-model · project · T");
  assert.equal(lineText(statusLine(state, [], place)), "  ");
});
