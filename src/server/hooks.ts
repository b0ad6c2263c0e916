/** `hooks/list`. */
import type { hooksRequests } from "../protocol/hooks.ts";
import type { HandlersFor } from "./app.ts";

export const hooksHandlers: HandlersFor<typeof hooksRequests> = {
  "hooks/list"({ cwds, threadId }, { app }) {
    const own = threadId ? app.threads.require(threadId).settings.cwd : process.cwd();
    const folders = cwds === undefined || cwds.length === 0 ? [own] : cwds;
    return { data: folders.map((cwd) => app.config.hooks(cwd)) };
  },
};
