/** `skills/*`. */
import { invalidRequest } from "../protocol/errors.ts";
import type { skillsRequests } from "../protocol/skills.ts";
import type { HandlersFor } from "./app.ts";

export const skillsHandlers: HandlersFor<typeof skillsRequests> = {
  async "skills/list"({ cwds, forceReload }, { app }) {
    const folders = cwds === undefined || cwds.length === 0 ? [process.cwd()] : cwds;
    const data = await Promise.all(folders.map((cwd) => app.skills.list(cwd, { forceReload: forceReload ?? false })));
    return { data };
  },
  async "skills/config/write"({ path, name, enabled }, { app, after }) {
    if ((typeof path === "string") === (typeof name === "string"))
      throw invalidRequest("skills/config/write requires exactly one of `path` or `name`");
    const effectiveEnabled = await app.skills.setEnabled(typeof path === "string" ? { path } : { name: name ?? "" }, enabled);
    after(() => app.subscriptions.toAll("skills/changed", {}));
    return { effectiveEnabled };
  },
  "skills/extraRoots/set"({ extraRoots }, { app, after }) {
    app.skills.setExtraRoots(extraRoots);
    after(() => app.subscriptions.toAll("skills/changed", {}));
    return {};
  },
};
