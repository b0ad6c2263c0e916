/** `hooks/list`. */
import type { hooksRequests } from "../protocol/hooks.ts";
import type { HandlersFor } from "./app.ts";

export const hooksHandlers: HandlersFor<typeof hooksRequests> = {
  "hooks/list"({ cwds }, { app }) {
    const folders = cwds === undefined || cwds.length === 0 ? [process.cwd()] : cwds;
    return { data: folders.map((cwd) => app.config.hooks(cwd)) };
  },
};
