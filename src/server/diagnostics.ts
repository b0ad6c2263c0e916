/** Figures of the running server, and calls that clients make to test or maintain it. */
import { checkId } from "../core/thread/threads.ts";
import type { diagnosticsRequests } from "../protocol/diagnostics.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { HandlersFor } from "./app.ts";

export const diagnosticsHandlers: HandlersFor<typeof diagnosticsRequests> = {
  "server/diagnostics"(_params, { app }) {
    const live = app.threads.ids.map((id) => app.threads.find(id));
    return {
      process: { id: process.pid, residentMemoryBytes: process.memoryUsage.rss(), physicalFootprintBytes: null },
      gauges: [
        { name: "core.threads.live", value: live.length },
        { name: "core.turns.active", value: live.filter((thread) => thread?.turn !== undefined).length },
      ],
    };
  },
  "rollout/compress": () => ({}),
  "mock/experimentalMethod": ({ value }) => ({ echoed: value ?? null }),
  // No time limit of a command is paused here, so none is reported as paused.
  "thread/increment_elicitation"({ threadId }, { app }) {
    checkId(threadId, "thread");
    return { count: ++app.threads.require(threadId).clients.elicitations, paused: false };
  },
  "thread/decrement_elicitation"({ threadId }, { app }) {
    checkId(threadId, "thread");
    const { clients } = app.threads.require(threadId);
    if (clients.elicitations === 0) throw invalidRequest("out-of-band elicitation count is already zero");
    return { count: --clients.elicitations, paused: false };
  },
  async "feedback/save"({ savePath, ...params }, { app }) {
    if (params.threadId) checkId(params.threadId, "thread");
    await app.accounts.saveFeedback(params, savePath);
    return { savedPath: savePath, threadId: params.threadId ?? `no-active-thread-${app.ids.thread()}`, promptHash: null };
  },
};
