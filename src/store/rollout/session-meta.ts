/** The first line of a rollout: who created the thread, where, and with what. */
import type { ThreadMeta } from "../../core/ports/thread-store.ts";
import type { SessionSource } from "../../protocol/policy.ts";
import { isObject, isString, type Json, listOf, numberOf, objectOf, oneOf, stringsOf, textOf, textOrNull } from "./shapes.ts";

type HistoryMode = "legacy" | "paginated";
/** A fork of Codex 0.166 has no copy of its parent's lines; it refers to the end of the shared part. */
export interface HistoryBase {
  /** The thread's id, or that of one of its later files. */
  readonly segment: string;
  readonly endOffset: number;
}

export interface SessionMeta {
  readonly meta: ThreadMeta;
  readonly historyMode: HistoryMode;
  readonly base: HistoryBase | undefined;
  readonly workspaceRoots: readonly string[];
}

export function metaPayload(meta: ThreadMeta): Json {
  const git = meta.git;
  return {
    session_id: meta.sessionId ?? meta.id,
    id: meta.id,
    ...(isString(meta.forkedFromId) ? { forked_from_id: meta.forkedFromId } : {}),
    ...(isString(meta.parentThreadId) ? { parent_thread_id: meta.parentThreadId } : {}),
    timestamp: new Date(meta.createdAtMs).toISOString(),
    cwd: meta.cwd,
    originator: meta.originator,
    cli_version: meta.cliVersion,
    source: sourceToDisk(meta.source),
    ...(isString(meta.threadSource) ? { thread_source: meta.threadSource } : {}),
    model_provider: meta.modelProvider,
    ...(meta.baseInstructions === undefined ? {} : { base_instructions: { text: meta.baseInstructions } }),
    ...(meta.dynamicTools === undefined ? {} : { dynamic_tools: meta.dynamicTools.filter(isPlainTool) }),
    history_mode: meta.historyMode ?? "legacy",
    ...(git == null ? {} : { git: gitToDisk(git) }),
  };
}

/** Undefined without an id: the file then belongs to no thread. */
export function readSessionMeta(payload: Json, lineMs: number): SessionMeta | undefined {
  const id = textOf(payload["id"]).toLowerCase();
  if (id === "") return undefined;
  const time = Date.parse(textOf(payload["timestamp"]));
  const base = objectOf(payload["history_base"]);
  const instructions = payload["base_instructions"];
  const meta: ThreadMeta = {
    id,
    createdAtMs: Number.isNaN(time) ? lineMs : time,
    cwd: textOf(payload["cwd"]),
    originator: textOf(payload["originator"]),
    cliVersion: textOf(payload["cli_version"]),
    source: sourceFromDisk(payload["source"]),
    modelProvider: textOf(payload["model_provider"]),
    baseInstructions: (isObject(instructions) ? textOrNull(instructions["text"]) : textOrNull(payload["instructions"])) ?? undefined,
    ...optional("sessionId", sessionOf(payload["session_id"], id)),
    ...optional("forkedFromId", textOrNull(payload["forked_from_id"])),
    ...optional("parentThreadId", textOrNull(payload["parent_thread_id"])),
    ...optional("git", isObject(payload["git"]) ? gitFromDisk(payload["git"]) : null),
    ...optional("dynamicTools", Array.isArray(payload["dynamic_tools"]) ? listOf(payload["dynamic_tools"]) : null),
    ...optional("threadSource", textOrNull(payload["thread_source"])),
    ...optional("historyMode", payload["history_mode"] === "paginated" ? ("paginated" as const) : null),
  };
  return {
    meta,
    historyMode: payload["history_mode"] === "paginated" ? "paginated" : "legacy",
    base: isString(base["thread_id"])
      ? { segment: base["thread_id"].toLowerCase(), endOffset: numberOf(base["end_byte_offset"]) }
      : undefined,
    workspaceRoots: stringsOf(payload["runtime_workspace_roots"]),
  };
}

const sessionOf = (session: unknown, own: string): string | null =>
  isString(session) && session !== "" && session !== own ? session : null;

/** Older versions do not know tools in a namespace and would skip the whole line. */
const isPlainTool = (tool: unknown): boolean => isObject(tool) && isString(tool["name"]) && isObject(tool["inputSchema"]);

const optional = <K extends string, V>(key: K, value: V | null): { readonly [P in K]?: V } =>
  value === null ? {} : ({ [key]: value } as { readonly [P in K]?: V });

const gitFromDisk = (git: Json): NonNullable<ThreadMeta["git"]> => ({
  sha: textOrNull(git["commit_hash"]),
  branch: textOrNull(git["branch"]),
  originUrl: textOrNull(git["repository_url"]),
});
/** Facts in the index are spelled as in the port. */
export const gitFromFacts = (git: unknown): ThreadMeta["git"] | null =>
  isObject(git) ? { sha: textOrNull(git["sha"]), branch: textOrNull(git["branch"]), originUrl: textOrNull(git["originUrl"]) } : null;
export const gitToDisk = (git: NonNullable<ThreadMeta["git"]>): Json => ({
  commit_hash: git.sha,
  branch: git.branch,
  repository_url: git.originUrl,
});

/** Codex writes `mcp` for what the wire calls appServer, and `subagent` in lower case. */
export function sourceFromDisk(source: unknown): SessionSource {
  if (!isObject(source)) return source === "mcp" ? "appServer" : (oneOf(source, ["cli", "vscode", "exec", "appServer"]) ?? "unknown");
  if (isString(source["custom"])) return { custom: source["custom"] };
  const sub = source["subagent"] ?? source["subAgent"];
  const kind = oneOf(sub, ["review", "compact", "memory_consolidation"]);
  if (kind !== undefined) return { subAgent: kind };
  if (isString(sub)) return { subAgent: { other: sub } };
  const spawned = objectOf(objectOf(sub)["thread_spawn"]);
  if (isString(spawned["parent_thread_id"])) {
    const { agent_nickname: nickname, agent_path: path, agent_role: role } = spawned;
    return {
      subAgent: {
        thread_spawn: {
          depth: numberOf(spawned["depth"]),
          parent_thread_id: spawned["parent_thread_id"],
          ...("agent_nickname" in spawned ? { agent_nickname: textOrNull(nickname) } : {}),
          ...("agent_path" in spawned ? { agent_path: textOrNull(path) } : {}),
          ...("agent_role" in spawned ? { agent_role: textOrNull(role) } : {}),
        },
      },
    };
  }
  const other = objectOf(sub)["other"];
  return isString(other) ? { subAgent: { other } } : "unknown";
}
export const sourceToDisk = (source: SessionSource): unknown =>
  source === "appServer" ? "mcp" : typeof source === "object" && "subAgent" in source ? { subagent: source.subAgent } : source;

/** The kind that thread/list filters by. */
export function sourceKind(source: SessionSource): string {
  if (typeof source === "string") return source;
  if ("custom" in source) return "unknown";
  const sub = source.subAgent;
  if (sub === "review") return "subAgentReview";
  if (sub === "compact") return "subAgentCompact";
  return typeof sub === "object" && "thread_spawn" in sub ? "subAgentThreadSpawn" : "subAgentOther";
}
