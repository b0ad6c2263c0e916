/** `thread/backgroundTerminals/*`: commands of a thread that keep running. */
import type { backgroundTerminalsRequests } from "../protocol/background-terminals.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { HandlersFor } from "./app.ts";
import { page } from "./page.ts";

export const backgroundTerminalsHandlers: HandlersFor<typeof backgroundTerminalsRequests> = {
  "thread/backgroundTerminals/list"(params, { app }) {
    const all = app.threads.require(params.threadId).terminals.list();
    const data = all.map((t) => ({
      command: t.command,
      cwd: t.cwd,
      itemId: t.itemId,
      processId: t.processId,
      osPid: t.running.pid ?? null,
      cpuPercent: null,
      rssKb: null,
    }));
    return page(data, params.cursor, params.limit);
  },
  async "thread/backgroundTerminals/clean"(params, { app }) {
    await app.threads.require(params.threadId).terminals.killAll();
    return {};
  },
  async "thread/backgroundTerminals/terminate"(params, { app }) {
    if (!/^\d+$/.test(params.processId)) throw invalidRequest(`invalid background terminal process id: ${params.processId}`);
    return { terminated: await app.threads.require(params.threadId).terminals.kill(params.processId) };
  },
};
