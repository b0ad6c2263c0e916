/** Fills a fake bridge with a lively world and scripts what happens when someone writes. */
import type { FakeBridge } from "./fake-bridge.ts";
import { hostileItems, requests, session, storyDiff, storyPlan, storyTurns } from "./fake-world.ts";

const now = (): number => Math.floor(Date.now() / 1000);

export function fill(bridge: FakeBridge, many = 0): void {
  const add = (s: ReturnType<typeof session>): void => void bridge.sessions.set(s.sessionId, s);
  bridge.projects = [
    { projectId: "p1", name: "Tidepool", workingDirectory: "/home/ada/projects/tidepool", createdAt: "", updatedAt: "" },
    { projectId: "p2", name: "Website", workingDirectory: "/home/ada/projects/website", createdAt: "", updatedAt: "" },
  ];
  add(session("s1", "Fix the flaky rate limiter test", { projectId: "p1", updatedAt: now() - 40, state: "idle" }));
  add(
    session("s2", "Add dark mode to the settings page", {
      projectId: "p2",
      cwd: "/home/ada/projects/website",
      branch: "dark-mode",
      updatedAt: now() - 20,
      state: "working",
      activeTurnId: "turn-w",
    }),
  );
  add(
    session("s3", "Why is the nightly build slow?", {
      cwd: "/home/ada/projects/tidepool",
      updatedAt: now() - 4000,
      state: "failed",
      lastTurnStatus: "failed",
    }),
  );
  add(session("s4", "Upgrade to TypeScript 7", { projectId: "p1", updatedAt: now() - 90_000 }));
  add(session("s5", "Draft the 2.4 release notes", { cwd: "/home/ada/projects/tidepool", updatedAt: now() - 95_000 }));
  add(
    session("s6", "Port the importer to streams", {
      cwd: "/home/ada/projects/importer",
      updatedAt: now() - 300_000,
      sessionControls: {
        model: "qwen3-coder",
        effort: null,
        approvalPolicy: "never",
        networkAccess: "enabled",
        filesystemSandbox: "danger-full-access",
        settings: {},
      },
    }),
  );
  add(session("s7", "Explore vector search options", { cwd: "/home/ada/notes", updatedAt: now() - 900_000 }));
  add(session("sx", "Hostile <b>title</b>", { cwd: "/tmp/<img src=x onerror=window.pwned=1>", updatedAt: now() - 1_000_000 }));
  add(session("old", "An archived idea", { archived: true, updatedAt: now() - 2_000_000 }));
  for (let i = 0; i < many; i++)
    add(session(`m${i}`, `Session number ${i}`, { updatedAt: now() - 1_100_000 - i * 1000, cwd: `/home/ada/projects/p${i % 17}` }));
  bridge.turns.set("s1", storyTurns());
  bridge.diffs.set("s1", { "turn-1": storyDiff });
  bridge.plans.set("s1", { turnId: "turn-2", plan: storyPlan });
  const use = (t: number): unknown => ({
    totalTokens: t,
    inputTokens: Math.round(t * 0.9),
    cachedInputTokens: Math.round(t * 0.6),
    outputTokens: Math.round(t * 0.1),
    reasoningOutputTokens: Math.round(t * 0.04),
  });
  bridge.usage.set("s1", { last: use(86_400), total: use(412_000), modelContextWindow: 272_000 });
  bridge.turns.set("sx", [{ id: "turn-x", status: "completed", items: hostileItems() }]);
  bridge.turns.set("s2", [
    {
      id: "turn-w",
      status: "inProgress",
      startedAt: now() - 30,
      items: [
        {
          type: "userMessage",
          id: "w1",
          content: [{ type: "text", text: "Add dark mode to the settings page, following the system by default." }],
        },
        {
          type: "commandExecution",
          id: "w2",
          command: "npm run build",
          commandActions: [{ type: "unknown", command: "npm run build" }],
          cwd: "/home/ada/projects/website",
          status: "inProgress",
          aggregatedOutput:
            "\u001b[36mvite\u001b[39m building for production...\ntransforming (212) \u001b[2msrc/settings/theme.ts\u001b[22m\n",
        },
      ],
    },
  ]);
  script(bridge);
}

/** A message gets a streamed reply; words in it bring requests along. */
export function script(bridge: FakeBridge): void {
  bridge.onMessage = (sessionId, input, clientId) => {
    const turnId = `turn-${clientId.slice(0, 8)}`;
    const text = input.flatMap((p) => (p.type === "text" ? [p.text] : [])).join(" ");
    bridge.update(sessionId, { state: "working", activeTurnId: turnId, title: text.slice(0, 50) || "Session", materialized: true });
    bridge.notify(sessionId, "turn/started", { turn: { id: turnId, items: [], status: "inProgress", startedAt: now() } });
    const user = { type: "userMessage", id: `u-${turnId}`, content: input, clientId };
    bridge.notify(sessionId, "item/started", { turnId, item: user, startedAtMs: Date.now() });
    bridge.notify(sessionId, "item/completed", { turnId, item: user, completedAtMs: Date.now() });
    const kinds = (Object.keys(requests) as (keyof typeof requests)[]).filter((k) => text.includes(`ask:${k}`));
    for (const kind of kinds) {
      if (kind === "file") {
        const item = {
          type: "fileChange",
          id: "live-f1",
          status: "inProgress",
          changes: [
            {
              path: "/home/ada/projects/shared/limits.json",
              kind: { type: "update" },
              diff: '@@ -1,3 +1,3 @@\n {\n-  "perSecond": 5\n+  "perSecond": 8\n }\n',
            },
          ],
        };
        bridge.notify(sessionId, "item/started", { turnId, item, startedAtMs: Date.now() });
      }
      bridge.ask({ ...requests[kind](sessionId), turnId });
    }
    if (kinds.length > 0) bridge.update(sessionId, { state: "waiting" });
    else reply(bridge, sessionId, turnId, text.includes("slowly") ? 60 : 5);
  };
  bridge.onAnswer = (request, body) => {
    const response = body["response"] as Record<string, unknown> | undefined;
    bridge.resolve(request.requestId, response?.["decision"] ?? response?.["action"] ?? "answered");
    const left = [...bridge.pending.values()].some((p) => p.threadId === request.threadId);
    if (!left) reply(bridge, request.threadId, request.turnId ?? "", 5);
  };
}

function reply(bridge: FakeBridge, sessionId: string, turnId: string, ms: number): void {
  const id = `a-${turnId}`;
  const words =
    "Here is what I found. The **limiter** now takes a clock, and `take()` says how long to wait.\n\n- one\n- two\n\nAll tests pass.".split(
      /(?<= )/,
    );
  bridge.update(sessionId, { state: "working" });
  bridge.notify(sessionId, "item/started", { turnId, item: { type: "agentMessage", id, text: "" }, startedAtMs: Date.now() });
  let at = 0;
  const timer = setInterval(() => {
    const word = words[at++];
    if (word !== undefined) return bridge.notify(sessionId, "item/agentMessage/delta", { turnId, itemId: id, delta: word });
    clearInterval(timer);
    bridge.notify(sessionId, "item/completed", {
      turnId,
      item: { type: "agentMessage", id, text: words.join("") },
      completedAtMs: Date.now(),
    });
    bridge.notify(sessionId, "turn/completed", { turn: { id: turnId, items: [], status: "completed", durationMs: 4200 } });
    bridge.update(sessionId, { state: "idle", activeTurnId: null, lastTurnStatus: "completed", unread: true });
  }, ms);
}
