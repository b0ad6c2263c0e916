/** The settings a thread has now: config defaults, changed by thread/start, turn/start and thread/settings/update. Plain frozen data. */
import { invalidRequest } from "../../protocol/errors.ts";
import {
  type ApprovalsReviewer,
  type AskForApproval,
  type CollaborationMode,
  type Personality,
  permissionProfiles,
  type ReasoningSummary,
  type SandboxMode,
  type SandboxPolicy,
} from "../../protocol/policy.ts";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { refuseForbidden, withinRequirements } from "./requirements.ts";

/** What a request may change; absent and null leave the setting as it is. */
export interface SettingsChange {
  readonly cwd?: string | null | undefined;
  readonly runtimeWorkspaceRoots?: readonly string[] | null | undefined;
  readonly hasMachine?: boolean | undefined;
  readonly model?: string | null | undefined;
  readonly modelProvider?: string | null | undefined;
  readonly effort?: string | null | undefined;
  readonly summary?: ReasoningSummary | null | undefined;
  readonly serviceTier?: string | null | undefined;
  readonly approvalPolicy?: AskForApproval | null | undefined;
  readonly approvalsReviewer?: ApprovalsReviewer | null | undefined;
  readonly sandbox?: SandboxMode | null | undefined;
  readonly sandboxPolicy?: SandboxPolicy | null | undefined;
  /** A permission profile by its id. */
  readonly permissions?: string | null | undefined;
  readonly personality?: Personality | null | undefined;
  readonly collaborationMode?: CollaborationMode | null | undefined;
  readonly baseInstructions?: string | null | undefined;
  readonly developerInstructions?: string | null | undefined;
}

/** The settings of a new thread. */
export function settingsFrom(
  config: Config,
  chosen: { model: string; provider: string },
  change: SettingsChange & { cwd: string },
): ThreadSettings {
  const base: ThreadSettings = {
    cwd: change.cwd,
    workspaceRoots: [change.cwd],
    model: chosen.model,
    modelProvider: chosen.provider,
    effort: config.effort ?? null,
    summary: config.summary ?? null,
    verbosity: config.verbosity ?? null,
    serviceTier: config.serviceTier ?? null,
    approvalPolicy: config.approvalPolicy,
    approvalsReviewer: "user",
    sandboxPolicy: sandboxPolicyFor(config.sandboxMode, config),
    personality: config.personality ?? null,
    mode: "default",
    modeInstructions: null,
    baseInstructions: config.baseInstructions ?? null,
    developerInstructions: config.developerInstructions ?? null,
  };
  return changed(base, config, change);
}

/** Settings with a request's changes applied. Throws invalidRequest when it asks for what the administrator does not allow. */
export function changed(settings: ThreadSettings, config: Config, change: SettingsChange): ThreadSettings {
  refuseForbidden(change, config);
  const mode = change.collaborationMode;
  const cwd = change.cwd ?? settings.cwd;
  const next: ThreadSettings = {
    ...settings,
    cwd,
    workspaceRoots: rootsFor(settings, change, cwd),
    ...(change.hasMachine === undefined ? {} : { hasMachine: change.hasMachine }),
    model: mode?.settings.model ?? change.model ?? settings.model,
    modelProvider: change.modelProvider ?? settings.modelProvider,
    effort: mode?.settings.reasoning_effort ?? change.effort ?? settings.effort,
    summary: change.summary ?? settings.summary,
    serviceTier: change.serviceTier ?? settings.serviceTier,
    approvalPolicy: change.approvalPolicy ?? settings.approvalPolicy,
    approvalsReviewer: change.approvalsReviewer ?? settings.approvalsReviewer,
    ...sandboxFrom(settings, config, change),
    personality: change.personality ?? settings.personality,
    mode: mode === undefined || mode === null ? settings.mode : mode.mode === "plan" ? "plan" : "default",
    ...(mode === undefined || mode === null ? {} : { isPairing: mode.mode === "pair_programming" }),
    modeInstructions: mode === undefined || mode === null ? settings.modeInstructions : (mode.settings.developer_instructions ?? null),
    baseInstructions: change.baseInstructions ?? settings.baseInstructions,
    developerInstructions: change.developerInstructions ?? settings.developerInstructions,
  };
  return withinRequirements(next, config, sandboxPolicyFor(config.sandboxMode, config));
}

/** The settings that a request chooses for its thread; the others follow the config. */
export function chosenBy(change: SettingsChange): (keyof ThreadSettings)[] {
  const mode = change.collaborationMode?.settings;
  const given = (...values: unknown[]): boolean => values.some((value) => value !== undefined && value !== null);
  const choices: [keyof ThreadSettings, boolean][] = [
    ["model", given(change.model, mode?.model)],
    ["modelProvider", given(change.model, mode?.model, change.modelProvider)],
    ["effort", given(change.effort, mode?.reasoning_effort)],
    ["summary", given(change.summary)],
    ["serviceTier", given(change.serviceTier)],
    ["approvalPolicy", given(change.approvalPolicy)],
    ["sandboxPolicy", given(change.sandbox, change.sandboxPolicy, change.permissions)],
    ["personality", given(change.personality)],
    ["developerInstructions", given(change.developerInstructions)],
  ];
  return choices.flatMap(([name, isChosen]) => (isChosen ? [name] : []));
}

/** The base instructions are not among them: they are the thread's from its first line on. */
const followers = [
  ...(["model", "modelProvider", "effort", "summary", "verbosity", "serviceTier", "approvalPolicy", "sandboxPolicy"] as const),
  ...(["personality", "developerInstructions"] as const),
];

/** Settings after the config has changed: what the config says differently now, apart from what was chosen for this thread. */
export function renewed(
  settings: ThreadSettings,
  { before, after, choose }: { before: Config; after: Config; choose: (config: Config) => { model: string; provider: string } },
  chosen: ReadonlySet<keyof ThreadSettings>,
): ThreadSettings {
  const { cwd } = settings;
  const [was, is] = [before, after].map((config) => settingsFrom(config, choose(config), { cwd }));
  if (was === undefined || is === undefined) return settings;
  const news = followers.filter((name) => !chosen.has(name) && JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  const taken = Object.fromEntries(news.map((name) => [name, is[name]]));
  const profile = news.includes("sandboxPolicy") ? { permissionProfile: null } : {};
  return withinRequirements({ ...settings, ...taken, ...profile }, after, sandboxPolicyFor(after.sandboxMode, after));
}

/** A policy, a mode or a profile; without any of them it stays as it was. */
export function sandboxFrom(
  settings: Pick<ThreadSettings, "sandboxPolicy" | "permissionProfile">,
  config: Config,
  change: Pick<SettingsChange, "sandbox" | "sandboxPolicy" | "permissions">,
): Pick<ThreadSettings, "sandboxPolicy" | "permissionProfile"> {
  const { permissions } = change;
  if (permissions && (change.sandboxPolicy || change.sandbox))
    throw invalidRequest("`permissions` cannot be combined with a sandbox; send one of them");
  if (change.sandboxPolicy) return { sandboxPolicy: wholePolicy(change.sandboxPolicy), permissionProfile: null };
  if (change.sandbox) return { sandboxPolicy: sandboxPolicyFor(change.sandbox, config), permissionProfile: null };
  if (!permissions) return { sandboxPolicy: settings.sandboxPolicy, permissionProfile: settings.permissionProfile ?? null };
  const mode = Object.hasOwn(permissionProfiles, permissions) ? permissionProfiles[permissions] : undefined;
  if (mode === undefined)
    throw invalidRequest(`unknown permission profile \`${permissions}\`; known are ${Object.keys(permissionProfiles).join(", ")}`);
  return { sandboxPolicy: sandboxPolicyFor(mode, config), permissionProfile: permissions };
}

function rootsFor(settings: ThreadSettings, change: SettingsChange, cwd: string): readonly string[] {
  if (change.runtimeWorkspaceRoots) return [cwd, ...change.runtimeWorkspaceRoots.filter((root) => root !== cwd)];
  return cwd === settings.cwd ? settings.workspaceRoots : [cwd];
}

/** Whatever a client leaves out is the stricter choice, and is said so from there on. */
function wholePolicy(policy: SandboxPolicy): SandboxPolicy {
  if (policy.type === "readOnly") return { ...policy, networkAccess: policy.networkAccess ?? false };
  if (policy.type === "externalSandbox") return { ...policy, networkAccess: policy.networkAccess ?? "restricted" };
  if (policy.type !== "workspaceWrite") return policy;
  const { writableRoots = [], networkAccess = false, excludeTmpdirEnvVar = false, excludeSlashTmp = false } = policy;
  return { ...policy, writableRoots, networkAccess, excludeTmpdirEnvVar, excludeSlashTmp };
}

export function sandboxPolicyFor(mode: SandboxMode, config: Config): SandboxPolicy {
  if (mode === "danger-full-access") return { type: "dangerFullAccess" };
  if (mode === "read-only") return { type: "readOnly", networkAccess: false };
  const { writableRoots, ...flags } = config.sandboxWorkspaceWrite;
  return { type: "workspaceWrite", writableRoots: [...writableRoots], ...flags };
}
