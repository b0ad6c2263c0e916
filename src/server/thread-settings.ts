/** Changes to a live thread between its turns: settings, metadata, injected items, the person's own commands. */
import path from "node:path";
import { freshContext } from "../core/context/context.ts";
import { activeProfile } from "../core/settings/file-rules.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { checkId } from "../core/thread/threads.ts";
import { runShellCommand } from "../core/turn/user-command.ts";
import { parse } from "../lib/schema.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { ResponseItem } from "../protocol/model-item.ts";
import { shownSettings } from "../protocol/settings.ts";
import type { ThreadSettings, threadSettingsRequests } from "../protocol/thread-settings.ts";
import type { App, HandlersFor } from "./app.ts";
import { asSoleWriter, findThread, threadFromStored } from "./stored-thread.ts";

export const threadSettingsHandlers: HandlersFor<typeof threadSettingsRequests> = {
  async "thread/settings/update"(params, { app, after }) {
    const thread = app.threads.require(params.threadId);
    const { cwd, ...change } = params;
    const before = thread.settings;
    thread.change({ ...change, cwd: cwd ? path.resolve(cwd) : undefined });
    if (thread.settings !== before) await thread.keepSettings();
    after(() => announceConfigChanges(thread, app));
    return {};
  },

  async "thread/metadata/update"(params, call) {
    const { app } = call;
    const { threadId, gitInfo, ...others } = params;
    checkId(threadId, "thread");
    if (!gitInfo && Object.values(others).every((value) => value === undefined || value === null))
      throw invalidRequest("thread metadata update must include at least one field");
    const { projectId } = others;
    if (projectId && (await app.lists.projects.find(projectId)) === undefined) throw invalidRequest(`project not found: ${projectId}`);
    if (gitInfo && Object.values(gitInfo).every((value) => value === undefined))
      throw invalidRequest("gitInfo must include at least one field");
    await findThread(threadId, app);
    const live = app.threads.find(threadId);
    if (live?.ephemeral) throw invalidRequest(`ephemeral thread does not support metadata updates: ${threadId}`);
    await live?.keep();
    if (gitInfo) {
      const known = (await app.store.find(threadId))?.git;
      const { sha = known?.sha, branch = known?.branch, originUrl = known?.originUrl } = gitInfo; // an omitted field stays, null clears it
      const isCleared = [sha, branch, originUrl].every((value) => value === undefined || value === null);
      const git = isCleared ? undefined : { sha: sha ?? null, branch: branch ?? null, originUrl: originUrl ?? null };
      await asSoleWriter(threadId, call, () => app.store.updateGit(threadId, git));
      live?.setGit(git);
    }
    if (projectId) {
      await app.lists.projects.assign(
        { id: threadId, usedMs: (await app.store.find(threadId))?.updatedAtMs ?? app.clock.now() },
        projectId,
      );
      call.after(() => app.subscriptions.toAll("thread/project/updated", { threadId, projectId }));
    }
    if (projectId === "" && (await app.lists.projects.unassign(threadId)))
      call.after(() => app.subscriptions.toAll("thread/project/updated", { threadId, projectId: null }));
    return { thread: await threadFromStored(params.threadId, app) };
  },

  async "thread/inject_items"(params, { app }) {
    const thread = app.threads.require(params.threadId);
    thread.refuseReadOnly();
    const items = params.items.map((item, i) => {
      const known = parse(ResponseItem, item);
      if (known === undefined || known.type === "other") throw invalidRequest(`Invalid request: items[${i}] is not a response item`);
      return known;
    });
    await thread.readyToWrite();
    // The initial context stays first, even if the thread has no messages yet.
    const all = [...(thread.history.items.length === 0 ? await freshContext(thread) : []), ...items];
    for (const item of all) thread.history.add(item);
    await thread.record(all.map((item) => ({ type: "modelItem" as const, item })));
    return {};
  },

  async "thread/shellCommand"(params, { app, after }) {
    const thread = app.threads.require(params.threadId);
    if (params.command.trim() === "") throw invalidRequest("command must not be empty");
    await thread.readyToWrite();
    after(runShellCommand(thread, params.command, params.timeoutMs ?? undefined));
    return {};
  },
};

/** Before a turn starts: announces changes of the settings files since the last one. */
export function announceConfigChanges(thread: LiveThread, app: App): void {
  if (thread.takeSettingsNews()) announceSettings(thread, app);
}

function announceSettings(thread: LiveThread, app: App): void {
  thread.takeSettingsNews();
  app.subscriptions.toThread(thread.id, "thread/settings/updated", { threadId: thread.id, threadSettings: settingsToWire(thread) });
}

function settingsToWire({ settings, config }: LiveThread): ThreadSettings {
  return {
    cwd: settings.cwd,
    model: settings.model,
    modelProvider: settings.modelProvider,
    approvalPolicy: settings.approvalPolicy === "on-failure" ? "on-request" : settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    sandboxPolicy: settings.sandboxPolicy,
    activePermissionProfile: activeProfile(settings, config),
    ...shownSettings("inUpdate", settings),
    collaborationMode: collaborationModeOf({ settings }),
    disabledPluginIds: [...(settings.disabledPluginIds ?? [])],
  };
}

export function collaborationModeOf({ settings }: Pick<LiveThread, "settings">): ThreadSettings["collaborationMode"] {
  const { mode, model, effort, modeInstructions } = settings;
  return { mode, settings: { model, reasoning_effort: effort, developer_instructions: modeInstructions } };
}
