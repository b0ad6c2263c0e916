/** Changes the settings of the next turns: model and effort, access, plan mode. */
import { homedir } from "node:os";
import path from "node:path";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { PermissionProfileSummary } from "../../protocol/config.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { ThreadSettingsUpdateParams } from "../../protocol/thread-settings.ts";
import { createPicker } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";

type Change = Omit<ThreadSettingsUpdateParams, "threadId">;

/** The server sends `thread/settings/updated`, from which the footer is drawn. */
async function update(shell: Shell, change: Change): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId !== undefined) await shell.client().call("thread/settings/update", { threadId, ...change });
}

export async function chooseModel(shell: Shell): Promise<void> {
  const { settings } = shell.store.conversation;
  const { data } = await shell.client().call("model/list", { limit: 200 });
  const models = data.filter(({ hidden }) => !hidden);
  const items = models.map(({ model, displayName, description }) => ({
    id: model,
    label: cleanLine(displayName || model),
    detail: cleanLine(description),
    isCurrent: model === settings?.model,
  }));
  const model = await shell.pick(createPicker({ title: "Which model?", items, whenEmpty: "The server lists no models" }));
  const chosen = models.find((known) => known.model === model);
  if (chosen === undefined) return;
  const efforts = chosen.supportedReasoningEfforts;
  const current = chosen.model === settings?.model ? settings.effort : chosen.defaultReasoningEffort;
  const effort =
    efforts.length < 2
      ? efforts[0]?.reasoningEffort
      : await shell.pick(
          createPicker({
            title: `How hard shall ${cleanLine(chosen.displayName)} think?`,
            items: efforts.map(({ reasoningEffort, description }) => ({
              id: reasoningEffort,
              label: cleanLine(reasoningEffort),
              detail: cleanLine(description),
              isCurrent: reasoningEffort === current,
            })),
          }),
        );
  if (effort === undefined && efforts.length >= 2) return;
  await update(shell, { model: chosen.model, ...(effort === undefined ? {} : { effort }) });
  shell.store.note("success", `Model: ${cleanLine(chosen.displayName)}${effort === undefined ? "" : `, ${effort}`}`);
}

/** One level up or down among the efforts that the model supports. */
export async function changeEffort(shell: Shell, by: -1 | 1): Promise<void> {
  const { settings } = shell.store.conversation;
  if (settings === undefined) return;
  const { data } = await shell.client().call("model/list", { limit: 200, includeHidden: true });
  const model = data.find((known) => known.model === settings.model);
  const efforts = model?.supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort) ?? [];
  if (efforts.length < 2) return shell.store.setUi({ hint: `${settings.model} has no other effort` });
  const at = efforts.indexOf(settings.effort ?? model?.defaultReasoningEffort ?? "");
  const effort = efforts[Math.min(efforts.length - 1, Math.max(0, at + by))];
  if (effort === undefined || effort === settings.effort)
    return shell.store.setUi({ hint: `${settings.effort} is the ${by < 0 ? "lowest" : "highest"} effort` });
  await update(shell, { effort });
  shell.store.setUi({ hint: `Effort: ${cleanLine(effort)}` });
}

/** The working folder of the next turns. */
export async function changeFolder(shell: Shell, argument: string): Promise<void> {
  const { settings } = shell.store.conversation;
  if (settings === undefined) return;
  if (argument === "") return shell.store.setUi({ hint: "Which folder? Write /cd and the folder" });
  const home = shell.options.remote === undefined ? argument.replace(/^~(?=\/|$)/, homedir()) : argument;
  const cwd = path.resolve(settings.cwd, home);
  const found = await shell
    .client()
    .call("fs/getMetadata", { path: cwd })
    .catch(() => undefined);
  if (found?.isDirectory !== true) return shell.store.note("error", `${cleanLine(cwd)} is no folder; nothing was changed`);
  await update(shell, { cwd });
  shell.store.note("success", `Folder: ${cleanLine(cwd)}`);
}

interface Preset {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly approvalPolicy: AskForApproval;
  readonly sandboxPolicy: SandboxPolicy;
}

const presets: readonly Preset[] = [
  {
    id: "read",
    label: "Look only",
    detail: "reads everything; asks before it changes anything or uses the network",
    approvalPolicy: "on-request",
    sandboxPolicy: { type: "readOnly" },
  },
  {
    id: "auto",
    label: "Work in the folder",
    detail: "changes files in the folder; asks before it leaves it or uses the network",
    approvalPolicy: "on-request",
    sandboxPolicy: { type: "workspaceWrite" },
  },
  {
    id: "ask",
    label: "Ask about everything",
    detail: "asks before every command that is not known to be harmless",
    approvalPolicy: "untrusted",
    sandboxPolicy: { type: "workspaceWrite" },
  },
  {
    id: "full",
    label: "Full access",
    detail: "no sandbox and no questions; for machines that may break",
    approvalPolicy: "never",
    sandboxPolicy: { type: "dangerFullAccess" },
  },
];

/** The profiles of the user's own settings that may be chosen. An engine without them has none. */
async function ownProfiles(shell: Shell): Promise<readonly PermissionProfileSummary[]> {
  const cwd = shell.store.conversation.settings?.cwd ?? null;
  try {
    const { data } = await shell.client().call("permissionProfile/list", { cwd });
    return data.filter(({ id, allowed }) => allowed && !id.startsWith(":"));
  } catch {
    return [];
  }
}

export async function chooseAccess(shell: Shell): Promise<void> {
  const { settings } = shell.store.conversation;
  const isCurrent = (preset: Preset): boolean =>
    preset.approvalPolicy === settings?.approvalPolicy && preset.sandboxPolicy.type === settings.sandbox.type;
  const profiles = await ownProfiles(shell);
  const items = [
    ...presets.map((preset) => ({ id: preset.id, label: preset.label, detail: preset.detail, isCurrent: isCurrent(preset) })),
    ...profiles.map(({ id, description }) => ({
      id: `profile ${id}`,
      label: cleanLine(id),
      detail: cleanLine(description ?? "a permission profile of your settings"),
    })),
  ];
  const id = await shell.pick(createPicker({ title: "What may the agent do?", items }));
  const profile = profiles.find((known) => `profile ${known.id}` === id);
  if (profile !== undefined) {
    await update(shell, { permissions: profile.id });
    shell.store.note("success", cleanLine(`${profile.id}: ${profile.description ?? "a permission profile of your settings"}`));
    return;
  }
  const preset = presets.find((known) => known.id === id);
  if (preset === undefined) return;
  await update(shell, { approvalPolicy: preset.approvalPolicy, sandboxPolicy: preset.sandboxPolicy });
  shell.store.note(preset.id === "full" ? "warning" : "success", `${preset.label}: ${preset.detail}`);
}

export async function togglePlanMode(shell: Shell): Promise<void> {
  const { settings } = shell.store.conversation;
  if (settings === undefined) return;
  const mode = settings.mode === "plan" ? "default" : "plan";
  await update(shell, { collaborationMode: { mode, settings: { model: settings.model, reasoning_effort: settings.effort ?? null } } });
}
