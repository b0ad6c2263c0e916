/** Invented sessions and scripted turns for the fake bridge: every kind of item and request that the page can show. */

import type { ThreadItem } from "../../../src/protocol/item.ts";
import type { Turn } from "../../../src/protocol/turn.ts";
import type { PendingRequest, SessionSummary } from "../../../src/sessions/records.ts";

const now = (): number => Math.floor(Date.now() / 1000);

export function session(id: string, title: string, part: Partial<SessionSummary> = {}): SessionSummary {
  return {
    sessionId: id,
    title,
    materialized: true,
    modelProvider: "openai",
    approvalPolicy: "untrusted",
    sessionControls: {
      model: "gpt-5.6-codex",
      effort: "medium",
      approvalPolicy: "untrusted",
      networkAccess: "restricted",
      filesystemSandbox: "workspace-write",
      settings: {},
    },
    createdAt: now() - 7200,
    updatedAt: now() - 600,
    cwd: "/home/ada/projects/tidepool",
    source: "vscode",
    projectId: null,
    state: "idle",
    pendingCount: 0,
    archived: false,
    systemOwned: false,
    preview: title,
    model: "gpt-5.6-codex",
    branch: "main",
    queued: 0,
    unread: false,
    lastTurnStatus: "completed",
    ...part,
  };
}

const patch = `@@ -12,9 +12,14 @@ export class TokenBucket {
   #tokens: number;
   #last: number;
 
-  take(count = 1): boolean {
-    this.refill();
-    if (this.#tokens < count) return false;
+  /** Takes tokens, or says how long to wait for them. */
+  take(count = 1): { ok: true } | { ok: false; waitMs: number } {
+    this.refill(this.#clock());
+    if (this.#tokens < count) {
+      return { ok: false, waitMs: this.waitFor(count) };
+    }
     this.#tokens -= count;
-    return true;
+    return { ok: true };
   }
`;

const answer = `The flaky test came from **time**, not from the limiter itself:

1. \`refill()\` read \`Date.now()\` directly, so a slow CI machine could cross a refill boundary between two calls.
2. The test asserted on *exact* token counts after a sleep.

I gave \`TokenBucket\` a clock and made \`take()\` say how long to wait:

\`\`\`ts
const bucket = new TokenBucket({ capacity: 10, perSecond: 5, clock: () => now });
const result = bucket.take(3);
if (!result.ok) await sleep(result.waitMs);
\`\`\`

| Check | Before | After |
| --- | --- | --- |
| 200 runs of the suite | 7 failures | **0 failures** |
| Time per run | 4.1 s | 0.6 s |

The callers in \`src/http\` only look at \`ok\`, so nothing else had to change. See [RFC 6585](https://www.rfc-editor.org/rfc/rfc6585) for what \`429\` should carry; I left that for a follow-up.`;

export const storyTurns = (): Turn[] => [
  {
    id: "turn-1",
    status: "completed",
    startedAt: now() - 900,
    completedAt: now() - 780,
    durationMs: 118_000,
    items: [
      {
        type: "userMessage",
        id: "u1",
        content: [
          { type: "text", text: "The rate limiter test is flaky in CI, about one run in thirty. Find out why and fix it properly." },
        ],
      },
      {
        type: "reasoning",
        id: "r1",
        summary: [
          "**Looking for sources of time in the limiter**\n\nThe test sleeps and then counts tokens. I should check where the bucket reads the clock.",
        ],
        content: [],
      },
      {
        type: "commandExecution",
        id: "c1",
        command: "bash -lc 'rg -n \"Date.now\" src'",
        commandActions: [{ type: "search", command: "rg -n Date.now src", query: "Date.now", path: "src" }],
        cwd: "/home/ada/projects/tidepool",
        status: "completed",
        exitCode: 0,
        durationMs: 41,
        aggregatedOutput: "src/limiter/token-bucket.ts:31:    const now = Date.now();\nsrc/limiter/window.ts:12:    return Date.now();\n",
      },
      {
        type: "commandExecution",
        id: "c2",
        command: "sed -n 1,80p src/limiter/token-bucket.ts",
        commandActions: [{ type: "read", command: "sed -n 1,80p", name: "token-bucket.ts", path: "src/limiter/token-bucket.ts" }],
        cwd: "/home/ada/projects/tidepool",
        status: "completed",
        exitCode: 0,
        durationMs: 12,
        aggregatedOutput: "export class TokenBucket {\n  …\n",
      },
      {
        type: "fileChange",
        id: "f1",
        status: "completed",
        changes: [{ path: "/home/ada/projects/tidepool/src/limiter/token-bucket.ts", kind: { type: "update" }, diff: patch }],
      },
      {
        type: "commandExecution",
        id: "c3",
        command: "npm test -- limiter",
        commandActions: [{ type: "unknown", command: "npm test -- limiter" }],
        cwd: "/home/ada/projects/tidepool",
        status: "completed",
        exitCode: 0,
        durationMs: 3900,
        aggregatedOutput:
          "\u001b[1m> tidepool@2.3.0 test\u001b[0m\n\n \u001b[32m✓\u001b[39m refills over time \u001b[2m(1 ms)\u001b[22m\n \u001b[32m✓\u001b[39m says how long to wait\n \u001b[33m↓\u001b[39m works across processes \u001b[2m[skipped]\u001b[22m\n\n \u001b[32m2 passed\u001b[39m, 1 skipped\n",
      },
      { type: "agentMessage", id: "a1", text: answer },
    ],
  },
  {
    id: "turn-2",
    status: "failed",
    startedAt: now() - 500,
    durationMs: 9200,
    error: { message: "The model's stream ended early and five more attempts failed (HTTP 502).", codexErrorInfo: "other" },
    items: [
      {
        type: "userMessage",
        id: "u2",
        content: [
          { type: "text", text: "Good. Now make window.ts take a clock too, and $review it." },
          { type: "skill", name: "review", path: "/home/ada/.codex/skills/review/SKILL.md" },
          { type: "mention", name: "src/limiter/window.ts", path: "/home/ada/projects/tidepool/src/limiter/window.ts" },
        ],
      },
      {
        type: "commandExecution",
        id: "c4",
        command: "npm run lint",
        commandActions: [{ type: "unknown", command: "npm run lint" }],
        cwd: "/home/ada/projects/tidepool",
        status: "failed",
        exitCode: 1,
        durationMs: 2100,
        aggregatedOutput: "\u001b[31merror\u001b[39m src/limiter/window.ts:12:12 'Date' is not allowed here\n",
      },
    ],
  },
];

export const storyDiff = `diff --git a/src/limiter/token-bucket.ts b/src/limiter/token-bucket.ts
--- a/src/limiter/token-bucket.ts
+++ b/src/limiter/token-bucket.ts
${patch}diff --git a/src/limiter/clock.ts b/src/limiter/clock.ts
new file mode 100644
--- /dev/null
+++ b/src/limiter/clock.ts
@@ -0,0 +1,4 @@
+/** Milliseconds since some fixed moment. */
+export type Clock = () => number;
+
+export const systemClock: Clock = () => performance.now();
diff --git a/src/limiter/legacy.ts b/src/limiter/legacy.ts
deleted file mode 100644
--- a/src/limiter/legacy.ts
+++ /dev/null
@@ -1,3 +0,0 @@
-export function sleepy(): void {
-  // TODO
-}
`;

export const storyPlan = [
  { step: "Find where time is read", status: "completed" },
  { step: "Give the bucket a clock", status: "completed" },
  { step: "Do the same for the sliding window", status: "inProgress" },
  { step: "Run the suite 200 times", status: "pending" },
] as const;

let counter = 0;
function base(kind: PendingRequest["kind"], method: string, threadId: string, details: Record<string, unknown>): PendingRequest {
  const requestId = `fake-${++counter}`;
  return {
    requestId,
    kind,
    method,
    threadId,
    rootThreadId: threadId,
    turnId: "turn-live",
    itemId: typeof details["itemId"] === "string" ? details["itemId"] : null,
    callId: null,
    tool: null,
    arguments: null,
    summary: method,
    details: { threadId, turnId: "turn-live", startedAtMs: Date.now(), ...details },
    createdAt: new Date(Date.now() + counter).toISOString(),
    expiresAt: null,
    status: "pending",
    sessionTitle: null,
  };
}

export const requests = {
  command: (thread: string): PendingRequest =>
    base("command", "item/commandExecution/requestApproval", thread, {
      itemId: "live-c1",
      command: "bash -lc 'git push --force-with-lease origin fix/limiter-clock'",
      cwd: "/home/ada/projects/tidepool",
      reason: "The branch was rebased, so a plain push would be refused.",
      kind: "command",
      commandActions: [],
      proposedExecpolicyAmendment: ["git", "push"],
      availableDecisions: [
        "accept",
        "acceptForSession",
        { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["git", "push"] } },
        "decline",
        "cancel",
      ],
    }),
  network: (thread: string): PendingRequest =>
    base("command", "item/commandExecution/requestApproval", thread, {
      itemId: "live-c2",
      command: "npm install left-pad",
      cwd: "/home/ada/projects/tidepool",
      networkApprovalContext: { host: "packages.example.org", protocol: "https" },
      availableDecisions: [
        "accept",
        { applyNetworkPolicyAmendment: { network_policy_amendment: { host: "packages.example.org", action: "allow" } } },
        "decline",
      ],
    }),
  file: (thread: string): PendingRequest =>
    base("fileChange", "item/fileChange/requestApproval", thread, {
      itemId: "live-f1",
      reason: "Writes outside the project folder.",
      grantRoot: "/home/ada/projects/shared",
    }),
  permissions: (thread: string): PendingRequest =>
    base("permissions", "item/permissions/requestApproval", thread, {
      itemId: "live-p1",
      cwd: "/home/ada/projects/tidepool",
      reason: "Needs to read the build cache and reach the network.",
      permissions: { network: { enabled: true }, fileSystem: { read: ["/home/ada/.cache/build"], write: ["/tmp/tidepool"] } },
    }),
  question: (thread: string): PendingRequest => ({
    ...base("question", "item/tool/requestUserInput", thread, {
      itemId: "live-q1",
      isBlocking: true,
      questions: [
        {
          id: "where",
          header: "Storage",
          question: "Where should the limiter keep its state?",
          isOther: true,
          isSecret: false,
          options: [
            { label: "In memory (recommended)", description: "Fast, lost on restart" },
            { label: "Redis", description: "Shared by all servers" },
          ],
        },
        { id: "note", header: "Anything else", question: "Is there a limit per customer?", isOther: false, isSecret: false, options: null },
      ],
    }),
  }),
  tool: (thread: string): PendingRequest => ({
    ...base("toolCall", "item/tool/call", thread, { callId: "call-1", tool: "lookup_ticket", arguments: { id: "ABC-123" } }),
    callId: "call-1",
    tool: "lookup_ticket",
    arguments: { id: "ABC-123" },
  }),
  form: (thread: string): PendingRequest =>
    base("elicitation", "mcpServer/elicitation/request", thread, {
      serverName: "deploys",
      mode: "form",
      message: "Where should this be deployed?",
      requestedSchema: {
        type: "object",
        required: ["target", "replicas"],
        properties: {
          target: { type: "string", title: "Target", enum: ["staging", "production"], enumNames: ["Staging", "Production"] },
          replicas: { type: "integer", title: "Replicas", minimum: 1, maximum: 9, default: 2 },
          email: { type: "string", title: "Tell", format: "email", description: "Gets a mail when it is done" },
          dryRun: { type: "boolean", title: "Only try it", default: true },
          zones: { type: "array", title: "Zones", items: { type: "string", enum: ["a", "b", "c"] } },
        },
      },
    }),
  link: (thread: string): PendingRequest =>
    base("elicitation", "mcpServer/elicitation/request", thread, {
      serverName: "calendar",
      mode: "url",
      message: "Sign in to let the agent read your calendar.",
      url: "https://auth.example.com/device?code=WXYZ",
      elicitationId: "e1",
    }),
};

/** Text that tries to run or load something, for every place where a model or a file brings text in. */
export const hostile = [
  '<img src=x onerror="window.pwned=1">',
  "<script>window.pwned=1</script>",
  "[click](javascript:window.pwned=1)",
  "![x](http://127.0.0.1:9/pixel.png)",
  "<svg/onload=window.pwned=1>",
  '<a href="data:text/html,<script>parent.pwned=1</script>">x</a>',
  "\u001b]8;;javascript:window.pwned=1\u0007link\u001b]8;;\u0007",
].join("\n\n");

export const hostileItems = (): ThreadItem[] => [
  { type: "userMessage", id: "x0", content: [{ type: "text", text: hostile }] },
  {
    type: "agentMessage",
    id: "x1",
    text: `${hostile}\n\n\`\`\`html\n${hostile}\n\`\`\`\n\n| a |\n| - |\n| ${hostile.replaceAll("\n", " ").replaceAll("|", "")} |`,
  },
  { type: "reasoning", id: "x2", summary: [hostile], content: [] },
  {
    type: "commandExecution",
    id: "x3",
    command: hostile,
    commandActions: [],
    cwd: hostile,
    status: "failed",
    exitCode: 1,
    aggregatedOutput: hostile,
  },
  { type: "fileChange", id: "x4", status: "completed", changes: [{ path: `/tmp/${hostile}`, kind: { type: "add" }, diff: hostile }] },
  {
    type: "mcpToolCall",
    id: "x5",
    server: hostile,
    tool: hostile,
    arguments: { a: hostile },
    status: "failed",
    error: { message: hostile },
  },
  {
    type: "dynamicToolCall",
    id: "x6",
    tool: hostile,
    arguments: hostile,
    status: "completed",
    success: true,
    contentItems: [
      { type: "inputText", text: hostile },
      { type: "inputImage", imageUrl: "http://127.0.0.1:9/pixel.png" },
    ],
  },
  { type: "webSearch", id: "x7", query: hostile },
  { type: "plan", id: "x8", text: hostile },
  { type: "exitedReviewMode", id: "x9", review: hostile },
];
