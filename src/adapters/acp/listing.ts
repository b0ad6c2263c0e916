/** The editor's session list: pages of threads, including archived ones on request. */
import { type ListSessionsRequest, type ListSessionsResponse, RequestError, type SessionInfo } from "@agentclientprotocol/sdk/unstable";
import type { Client } from "../../client/client.ts";
import type { Thread } from "../../protocol/thread.ts";

/** Cursor prefix for pages of archived threads, when both kinds are requested: archived threads come last. */
const archiveMark = "archived:";
const pageSize = 50;

export async function listSessions(client: Client, params: ListSessionsRequest): Promise<ListSessionsResponse> {
  const wanted = params.archived ?? "exclude";
  if (wanted !== "exclude" && wanted !== "include" && wanted !== "only")
    throw RequestError.invalidParams(undefined, `archived: \`${wanted}\` is unknown; expected exclude, include or only`);
  const cursor = params.cursor ?? "";
  const inArchive = wanted === "only" || (wanted === "include" && cursor.startsWith(archiveMark));
  const from = wanted === "include" && inArchive ? cursor.slice(archiveMark.length) : cursor;
  const page = await client.call("thread/list", {
    ...{ cursor: from === "" ? null : from, cwd: params.cwd ?? null, limit: pageSize, archived: inArchive },
  });
  return { sessions: page.data.map((thread) => infoOf(thread, inArchive)), nextCursor: nextOf(page.nextCursor ?? null, wanted, inArchive) };
}

function nextOf(next: string | null, wanted: string, inArchive: boolean): string | null {
  if (wanted !== "include") return next;
  return next === null ? (inArchive ? null : archiveMark) : `${inArchive ? archiveMark : ""}${next}`;
}

const infoOf = ({ id, cwd, name, preview, updatedAt }: Thread, archived: boolean): SessionInfo => ({
  sessionId: id,
  cwd,
  title: name ?? preview,
  updatedAt: new Date(updatedAt * 1000).toISOString(),
  archived,
});
