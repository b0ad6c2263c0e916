/** Which settings of a project let the agent do more than the user's own do, and which do not. Pure; serves the loader. */
import { isDeepStrictEqual } from "node:util";
import { isTable, setOwn, type TomlTable } from "../lib/toml.ts";
import { permissionProfiles } from "../protocol/policy.ts";

/**
 * Settings that never widen anything, whatever their value: how the model answers and how much of it is shown. Everything that is not named
 * here counts as widening, so that a new key is on the safe side.
 */
const harmless = new Set([
  ...["model", "model_reasoning_effort", "plan_mode_reasoning_effort", "model_reasoning_summary", "model_verbosity", "personality"],
  ...["model_personality", "model_supports_reasoning_summaries", "service_tier", "model_context_window", "model_auto_compact_token_limit"],
  ...["tool_output_token_limit", "review_model", "hide_agent_reasoning", "show_raw_agent_reasoning", "project_doc_max_bytes"],
  ...["include_plan_tool", "tui", "notice", "disable_paste_burst", "check_for_update_on_startup", "suppress_unstable_features_warning"],
  ...["windows_wsl_setup_acknowledged", "analytics", "ghost_snapshot"],
  // Each server is accepted separately, as it results from all layers.
  "mcp_servers",
]);

const sandboxes = ["read-only", "workspace-write", "danger-full-access"];
const approvals = ["untrusted", "on-request", "never"];

/** All of a project's settings that can widen anything: the user accepts them as a whole. */
export const boundPart = (project: TomlTable): TomlTable =>
  Object.fromEntries(Object.entries(project).filter(([key]) => !harmless.has(key)));

export interface Split {
  /** What applies in any case. */
  readonly free: TomlTable;
  /** What needs the user's consent; empty when nothing does. */
  readonly widening: TomlTable;
}

/** `own` are the user's settings, which a project may narrow without asking. */
export function splitWidening(project: TomlTable, own: TomlTable): Split {
  const free: TomlTable = {};
  const widening: TomlTable = {};
  for (const [key, value] of Object.entries(project)) {
    if (key === "sandbox_workspace_write" && isTable(value)) {
      const [narrow, wide] = splitRoom(value, isTable(own[key]) ? own[key] : {});
      if (Object.keys(narrow).length > 0) setOwn(free, key, narrow);
      if (Object.keys(wide).length > 0) setOwn(widening, key, wide);
    } else setOwn(isFree(key, value, own) ? free : widening, key, value);
  }
  return { free, widening };
}

function isFree(key: string, value: unknown, own: TomlTable): boolean {
  if (harmless.has(key) || isDeepStrictEqual(value, own[key])) return true;
  switch (key) {
    case "sandbox_mode":
      return !hasOwnProfile(own) && isAtMost(sandboxes, value, own[key] ?? "workspace-write");
    case "default_permissions":
      return !hasOwnProfile(own) && isAtMost(sandboxes, modeOf(value), own["sandbox_mode"] ?? modeOf(own[key]) ?? "workspace-write");
    case "approval_policy":
      return isAtMost(approvals, value, own[key] ?? "on-request");
    case "web_search":
      return value === "disabled";
    default:
      return false;
  }
}

/** A profile of the user's own says more than a mode can: nothing that replaces it is known to be narrower. */
const hasOwnProfile = ({ default_permissions: profile }: TomlTable): boolean => profile !== undefined && modeOf(profile) === undefined;

const modeOf = (profile: unknown): unknown =>
  typeof profile === "string" && Object.hasOwn(permissionProfiles, profile) ? permissionProfiles[profile] : undefined;

/** An unlisted value is never less than another. */
function isAtMost(order: readonly string[], value: unknown, limit: unknown): boolean {
  const [place, most] = [order.indexOf(String(value)), order.indexOf(String(limit))];
  return typeof value === "string" && place !== -1 && place <= most;
}

function splitRoom(room: TomlTable, own: TomlTable): [narrow: TomlTable, wide: TomlTable] {
  const narrow: TomlTable = {};
  const wide: TomlTable = {};
  const isNarrow = (key: string, value: unknown): boolean => {
    if (isDeepStrictEqual(value, own[key])) return true;
    if (key === "network_access") return value === false;
    if (key === "exclude_slash_tmp" || key === "exclude_tmpdir_env_var") return value === true;
    return Array.isArray(value) && value.length === 0;
  };
  for (const [key, value] of Object.entries(room)) setOwn(isNarrow(key, value) ? narrow : wide, key, value);
  return [narrow, wide];
}

/** The keys by name, for people. */
export const namesOf = (table: TomlTable): string[] =>
  Object.entries(table).flatMap(([key, value]) =>
    key === "sandbox_workspace_write" && isTable(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );
