/** Computes a thread's settings: config defaults, changed by thread/start, turn/start and thread/settings/update, and by a changed config. */
import { invalidRequest } from "../../protocol/errors.ts";
import { permissionProfiles, type SandboxMode, type SandboxPolicy } from "../../protocol/policy.ts";
import {
  type PlainSetting,
  plainSettings,
  type SettingName,
  type SettingParams,
  settingNames,
  settingRows,
} from "../../protocol/settings.ts";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { policyOf, rulesOf, withDenials } from "./file-rules.ts";
import { refuseForbidden, withinRequirements } from "./requirements.ts";

/** What a request may change; absent and null leave the setting as it is. */
export type SettingsChange = SettingParams & {
  readonly hasMachine?: boolean | undefined;
  /** The sandbox of the thread that starts this one, in place of the params that choose one. */
  readonly inherited?: Sandbox | undefined;
  /** Takes away every right to write, and leaves the rest of the sandbox as it is. */
  readonly readsOnly?: boolean | undefined;
};

/** The settings of a new thread. */
export function settingsFrom(
  config: Config,
  chosen: { model: string; provider: string },
  change: SettingsChange & { cwd: string },
): ThreadSettings {
  const base: ThreadSettings = {
    ...plainFrom(config),
    cwd: change.cwd,
    workspaceRoots: [change.cwd],
    model: chosen.model,
    modelProvider: chosen.provider,
    approvalPolicy: config.approvalPolicy,
    approvalsReviewer: config.approvalsReviewer,
    ...sandboxOf(config, choosesSandbox(change) ? undefined : config.defaultProfile, change.cwd),
    mode: "default",
    modeInstructions: null,
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
    ...plainIn(change),
    cwd,
    workspaceRoots: rootsFor(settings, change, cwd),
    ...(change.hasMachine === undefined ? {} : { hasMachine: change.hasMachine }),
    ...(change.disabledPluginIds ? { disabledPluginIds: [...new Set(change.disabledPluginIds)] } : {}),
    model: mode?.settings.model ?? change.model ?? settings.model,
    modelProvider: change.modelProvider ?? settings.modelProvider,
    effort: mode?.settings.reasoning_effort ?? change.effort ?? settings.effort,
    approvalPolicy: change.approvalPolicy ?? settings.approvalPolicy,
    approvalsReviewer: change.approvalsReviewer ?? settings.approvalsReviewer,
    ...sandboxFrom({ ...settings, cwd }, config, change),
    mode: mode === undefined || mode === null ? settings.mode : mode.mode === "plan" ? "plan" : "default",
    ...(mode === undefined || mode === null ? {} : { isPairing: mode.mode === "pair_programming" }),
    modeInstructions: mode === undefined || mode === null ? settings.modeInstructions : (mode.settings.developer_instructions ?? null),
  };
  const narrowed: ThreadSettings = change.readsOnly === true ? { ...next, ...readOnlySandbox(next) } : next;
  return withinRequirements(narrowed, config, sandboxOf(config, config.defaultProfile, cwd));
}

/** Under a read-only policy, rules about files allow no writing either. */
const readOnlySandbox = ({ fileRules = null }: ThreadSettings): Sandbox => ({
  sandboxPolicy: { type: "readOnly", networkAccess: false },
  permissionProfile: null,
  fileRules,
});

type PlainSettings = Pick<ThreadSettings, PlainSetting>;

const plainFrom = (config: Config): PlainSettings =>
  Object.fromEntries(plainSettings.map((name) => [name, config[name] ?? null])) as PlainSettings;

/** The plain settings that a request changes. */
function plainIn(change: SettingParams): Partial<PlainSettings> {
  const names = plainSettings.filter((name) => settingRows[name].takenBy.length > 0);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = setBy(name, change);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** What a request sets; undefined where it leaves the setting as it is. */
function setBy(name: string, change: { readonly [param: string]: unknown }): unknown {
  const value = change[name];
  if (value !== null) return value;
  return plainRows[name]?.nullMeans;
}

const plainRows: { readonly [name: string]: { readonly nullMeans?: string } | undefined } = settingRows;

const followers = settingNames.filter((name) => settingRows[name].follows);

/** The settings that a request chooses for its thread; the others follow the config. */
export function chosenBy(change: SettingsChange): SettingName[] {
  const mode = change.collaborationMode?.settings;
  const given: Readonly<Record<string, unknown>> = {
    ...change,
    sandboxPolicy: change.sandboxPolicy ?? change.inherited?.sandboxPolicy,
    model: change.model ?? mode?.model,
    effort: change.effort ?? mode?.reasoning_effort,
  };
  const isGiven = (param: string): boolean => setBy(param, given) !== undefined;
  return followers.filter((name) => [name, ...(settingRows[name].chosenWith ?? [])].some(isGiven));
}

/** Settings after the config has changed: applies what differs now, except what was chosen for this thread. */
export function renewed(
  settings: ThreadSettings,
  { before, after, choose }: { before: Config; after: Config; choose: (config: Config) => { model: string; provider: string } },
  chosen: ReadonlySet<SettingName>,
): ThreadSettings {
  const { cwd } = settings;
  const [was, is] = [before, after].map((config) => settingsFrom(config, choose(config), { cwd }));
  if (was === undefined || is === undefined) return settings;
  const news = followers.filter((name) => !chosen.has(name) && JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  const taken = Object.fromEntries(news.map((name) => [name, is[name]]));
  const isOther = news.includes("sandboxPolicy") || news.includes("fileRules");
  const profile = isOther ? { permissionProfile: is.permissionProfile ?? null, fileRules: is.fileRules ?? null } : {};
  return withinRequirements({ ...settings, ...taken, ...profile }, after, sandboxOf(after, after.defaultProfile, cwd));
}

/** What commands may do, and the profile that says so. */
export type Sandbox = Pick<ThreadSettings, "sandboxPolicy" | "permissionProfile" | "fileRules">;
type SandboxChange = Pick<SettingsChange, "sandbox" | "sandboxPolicy" | "permissions" | "inherited">;

const choosesSandbox = ({ sandbox, sandboxPolicy, permissions, inherited }: SandboxChange): boolean =>
  Boolean(sandbox || sandboxPolicy || permissions || inherited);

/** The sandbox of the user's profile of that name; without one, of the config's mode. */
export function sandboxOf(config: Config, profile: string | undefined, cwd: string): Sandbox {
  const own = profile === undefined ? undefined : config.permissionProfiles[profile];
  if (profile === undefined || own === undefined)
    return { sandboxPolicy: sandboxPolicyFor(config.sandboxMode, config), permissionProfile: null, fileRules: null };
  if ("problem" in own) throw invalidRequest(own.problem);
  const sandboxPolicy = policyOf(own, cwd);
  return { sandboxPolicy, permissionProfile: profile, fileRules: rulesOf(own, sandboxPolicy) };
}

/** A policy, a mode or a profile; without any of them it is unchanged. What the thread's profile denied stays denied. */
export function sandboxFrom(settings: Sandbox & Pick<ThreadSettings, "cwd">, config: Config, change: SandboxChange): Sandbox {
  if (!choosesSandbox(change)) {
    const { sandboxPolicy, permissionProfile = null, fileRules = null } = settings;
    return { sandboxPolicy, permissionProfile, fileRules };
  }
  const chosen = change.inherited ?? chosenSandbox(config, change, settings.cwd);
  return { ...chosen, fileRules: withDenials(chosen.fileRules ?? null, settings.fileRules) };
}

function chosenSandbox(config: Config, change: SandboxChange, cwd: string): Sandbox {
  const { permissions } = change;
  if (permissions && (change.sandboxPolicy || change.sandbox))
    throw invalidRequest(`\`permissions\` cannot be combined with \`${change.sandboxPolicy ? "sandboxPolicy" : "sandbox"}\``);
  const withoutProfile = { permissionProfile: null, fileRules: null };
  if (change.sandboxPolicy) return { sandboxPolicy: wholePolicy(change.sandboxPolicy), ...withoutProfile };
  if (change.sandbox || !permissions)
    return { sandboxPolicy: sandboxPolicyFor(change.sandbox ?? config.sandboxMode, config), ...withoutProfile };
  const mode = Object.hasOwn(permissionProfiles, permissions) ? permissionProfiles[permissions] : undefined;
  if (mode !== undefined) return { sandboxPolicy: sandboxPolicyFor(mode, config), permissionProfile: permissions, fileRules: null };
  if (Object.hasOwn(config.permissionProfiles, permissions)) return sandboxOf(config, permissions, cwd);
  const known = [...Object.keys(permissionProfiles), ...Object.keys(config.permissionProfiles)];
  throw invalidRequest(`unknown permission profile \`${permissions}\`; known are ${known.join(", ")}`);
}

function rootsFor(settings: ThreadSettings, change: SettingsChange, cwd: string): readonly string[] {
  // Exactly those: the folder that commands start in may be outside, and is not writable then.
  if (change.runtimeWorkspaceRoots) return [...new Set(change.runtimeWorkspaceRoots)];
  return cwd === settings.cwd ? settings.workspaceRoots : [cwd];
}

/** Fields that a client leaves out get the stricter value, which is reported from then on. */
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
