/**
 * What the Responses wire tells a provider about a request beside its body: which thread, turn and window it belongs to, and what the client
 * wants to be recorded. Codex's names and headers. Folders, repositories and tools, which Codex sends too, are not in it.
 */
import type { ModelRequest, RequestMetadata } from "../core/ports/model-client.ts";
import { shortDigest } from "../lib/short-digest.ts";

/** Values of the server's own, which a client cannot replace. */
const ownKeys: ReadonlySet<string> = new Set(
  `installation_id x-codex-installation-id session_id thread_id agent_name turn_id window_id window_number context_window_id x-codex-window-id
   x-codex-turn-metadata x-codex-parent-thread-id x-openai-subagent request_kind compaction history_initialization code_mode_tool_names
   tool_namespaces_info turn_started_at_unix_ms forked_from_thread_id forked_from_ordinal_exclusive parent_thread_id parent_turn_id root_turn_id
   subagent_kind thread_source sandbox sandbox_mode auto_review_enabled node_repl_auto_review_required node_repl_disabled analytics_enabled
   model workspaces`.split(/\s+/),
);

/** The same for all requests of this home to one provider; another provider sees another one, so that two cannot be matched. */
export type InstallationId = () => string | undefined;

/** The ids that the requests of one provider carry. */
export interface RequestIds {
  readonly installation: InstallationId;
  /** `idFrom`, remembered: all requests of a thread have the same window until its history is compacted. */
  readonly window: (text: string) => string;
}

export function requestIds(installation: InstallationId): RequestIds {
  let last: { readonly text: string; readonly id: string } | undefined;
  const window = (text: string): string => {
    if (last?.text !== text) last = { text, id: idFrom(text) };
    return last.id;
  };
  return { installation, window };
}

export function metadataHeaders(request: ModelRequest, ids: RequestIds): Readonly<Record<string, string>> {
  const { metadata } = request;
  if (metadata === undefined) return {};
  const { subAgent, parentThreadId } = metadata;
  return {
    "x-codex-window-id": windowId(metadata),
    "x-codex-turn-metadata": asciiJson(turnMetadata(request, metadata, ids)),
    ...(parentThreadId === undefined ? {} : { "x-codex-parent-thread-id": headerText(parentThreadId) }),
    ...(subAgent === undefined ? {} : { "x-openai-subagent": headerText(subAgent === "thread_spawn" ? "collab_spawn" : subAgent) }),
  };
}

/** The same for a websocket, whose headers are sent only once: a field of the body, with its name. */
export function metadataField(request: ModelRequest, ids: RequestIds): string | undefined {
  if (request.metadata === undefined) return undefined;
  return `"client_metadata":${JSON.stringify(metadataHeaders(request, ids))}`;
}

const windowId = ({ threadId, window }: RequestMetadata): string => `${headerText(threadId)}:${window}`;

function turnMetadata(request: ModelRequest, metadata: RequestMetadata, ids: RequestIds): Record<string, unknown> {
  const ofClient = Object.entries(metadata.ofClient).filter(([key]) => !ownKeys.has(key));
  return {
    installation_id: ids.installation(),
    session_id: metadata.sessionId,
    thread_id: metadata.threadId,
    turn_id: request.turnId === "" ? undefined : request.turnId,
    window_id: windowId(metadata),
    window_number: metadata.window,
    context_window_id: ids.window(windowId(metadata)),
    request_kind: metadata.kind,
    forked_from_thread_id: metadata.forkedFromId,
    parent_thread_id: metadata.parentThreadId,
    subagent_kind: metadata.subAgent,
    thread_source: metadata.threadSource,
    sandbox_mode: metadata.sandboxMode,
    turn_started_at_unix_ms: metadata.startedAtMs,
    model: request.model,
    ...Object.fromEntries(ofClient),
  };
}

/** An id in the form of a UUID that follows from the text. */
export function idFrom(text: string): string {
  const hex = shortDigest(text);
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Headers have no other characters; in JSON the rest can be escaped. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** Ids of threads come from files: none may add a header. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, "").slice(0, 256);
