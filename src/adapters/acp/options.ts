/** Session options that the editor can change: mode (how much the agent may do), model, effort. */
import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { Model } from "../../protocol/model.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { ThreadStartResponse } from "../../protocol/thread.ts";
import type { ThreadSettings, ThreadSettingsUpdateParams } from "../../protocol/thread-settings.ts";

/** The settings that these options control. */
export interface Chosen {
  readonly model: string;
  readonly effort: string | null;
  readonly approvalPolicy: AskForApproval;
  readonly sandboxPolicy: SandboxPolicy;
  readonly isPlan: boolean;
}

export function chosenFrom(answer: ThreadStartResponse, isPlan = false): Chosen {
  const { model, reasoningEffort, approvalPolicy, sandbox } = answer;
  return { model, effort: reasoningEffort ?? null, approvalPolicy, sandboxPolicy: sandbox, isPlan };
}
export function chosenFromSettings({ model, effort, approvalPolicy, sandboxPolicy, collaborationMode }: ThreadSettings): Chosen {
  return { model, effort: effort ?? null, approvalPolicy, sandboxPolicy, isPlan: collaborationMode.mode === "plan" };
}

interface Preset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly approvalPolicy: AskForApproval;
  readonly sandboxPolicy: SandboxPolicy;
}

const presets: readonly Preset[] = [
  {
    id: "read-only",
    name: "Read only",
    description: "Looks and answers; asks before every edit and before commands that need more.",
    approvalPolicy: "on-request",
    sandboxPolicy: { type: "readOnly" },
  },
  {
    id: "auto",
    name: "Auto",
    description: "Edits and runs commands in the workspace; asks before it leaves it or uses the network.",
    approvalPolicy: "on-request",
    sandboxPolicy: { type: "workspaceWrite" },
  },
  {
    id: "full-access",
    name: "Full access",
    description: "Edits and runs commands anywhere, with the network, and asks nothing.",
    approvalPolicy: "never",
    sandboxPolicy: { type: "dangerFullAccess" },
  },
];
const plan = { id: "plan", name: "Plan", description: "Works out a plan with you before anything is changed." };
/** For settings of config.toml that match none of the modes above: without this entry a person could not switch back to them. */
const configured = { id: "configured", name: "As configured", description: "The approval policy and sandbox of config.toml." };

const presetOf = ({ approvalPolicy, sandboxPolicy }: Chosen): Preset | undefined =>
  presets.find((preset) => preset.approvalPolicy === approvalPolicy && preset.sandboxPolicy.type === sandboxPolicy.type);

export function modesFor(now: Chosen, atFirst: Chosen): SessionModeState {
  const own = presetOf(atFirst) === undefined ? [configured] : [];
  const availableModes = [...own, ...presets, plan].map(({ id, name, description }) => ({ id, name, description }));
  return { currentModeId: now.isPlan ? plan.id : (presetOf(now)?.id ?? configured.id), availableModes };
}

type Change = Omit<ThreadSettingsUpdateParams, "threadId">;

/** Undefined if there is no such mode. */
export function changeForMode(modeId: string, now: Chosen, atFirst: Chosen): Change | undefined {
  const mode = (kind: "plan" | "default"): Change => ({
    collaborationMode: { mode: kind, settings: { model: now.model, reasoning_effort: now.effort, developer_instructions: null } },
  });
  if (modeId === plan.id) return mode("plan");
  const preset = modeId === configured.id ? atFirst : presets.find(({ id }) => id === modeId);
  if (preset === undefined) return undefined;
  return { approvalPolicy: preset.approvalPolicy, sandboxPolicy: preset.sandboxPolicy, ...(now.isPlan ? mode("default") : {}) };
}

export function optionsFor(now: Chosen, atFirst: Chosen, models: readonly Model[]): SessionConfigOption[] {
  const { currentModeId, availableModes } = modesFor(now, atFirst);
  const known = models.find(({ model }) => model === now.model);
  const choices = models.map(({ model, displayName, description }) => ({ value: model, name: displayName, description }));
  const efforts = (known?.supportedReasoningEfforts ?? []).map(({ reasoningEffort, description }) => ({
    value: reasoningEffort,
    name: reasoningEffort,
    description,
  }));
  const effort = now.effort ?? known?.defaultReasoningEffort;
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({ value: id, name, description: description ?? null })),
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: now.model,
      options: known === undefined ? [{ value: now.model, name: now.model }, ...choices] : choices,
    },
    ...(efforts.length === 0 || effort === undefined
      ? []
      : [
          {
            type: "select" as const,
            id: "effort",
            name: "Reasoning effort",
            category: "thought_level",
            currentValue: effort,
            options: efforts,
          },
        ]),
  ];
}

/** Undefined if there is no such option or value. */
export function changeForOption(
  { configId, value }: { readonly configId: string; readonly value: string | boolean },
  now: Chosen,
  atFirst: Chosen,
  models: readonly Model[],
): Change | undefined {
  const option = optionsFor(now, atFirst, models).find(({ id }) => id === configId);
  if (option?.type !== "select" || typeof value !== "string") return undefined;
  const values = option.options.flatMap((entry) => ("value" in entry ? [entry.value] : entry.options.map((inner) => inner.value)));
  if (!values.includes(value)) return undefined;
  if (configId === "mode") return changeForMode(value, now, atFirst);
  return configId === "model" ? { model: value } : { effort: value };
}
