/** Calls of the panel for arranging, finding, goals, the queue and cost, answered by the server. */
import type { EngineLink } from "../../../../src/sessions/link.ts";
import { markRead, readSections, type SectionView } from "../../../../src/sessions/lists.ts";
import type { Messages } from "../../../../src/sessions/messages.ts";
import type { EngineSessions, Session } from "../../../../src/sessions/sessions.ts";
import { Refused } from "../../../web/src/connection/connection.ts";
import { budgetEdits } from "../../../web/src/connection/more-calls.ts";
import type { CallParams, moreCalls } from "./port.ts";

type MoreCalls = { readonly [N in keyof typeof moreCalls]: (params: CallParams<N>) => unknown };

export interface MorePorts {
  link(): EngineLink;
  sessions(): EngineSessions;
  messages(): Messages;
}

const gone = (): Refused => new Refused(404, "not_found", "This message is no longer waiting.", null);

export function serveMore({ link, messages, sessions }: MorePorts): MoreCalls {
  const call: EngineLink["call"] = (method, params) => link().call(method, params);
  const sections = (): Promise<SectionView[]> => readSections(link());
  const archive = async (sessionIds: readonly string[]): Promise<unknown> => {
    const archived: string[] = [];
    const failed: { sessionId: string; message: string }[] = [];
    for (const sessionId of sessionIds)
      await call("thread/archive", { threadId: sessionId }).then(
        () => archived.push(sessionId),
        (error: unknown) => failed.push({ sessionId, message: String(error) }),
      );
    return { status: "ok", archived, failed };
  };
  const move = async ({ sessionId, sectionId, before }: CallParams<"moveSession">): Promise<SectionView[]> => {
    await call("thread/section/move", { threadId: sessionId, sectionId, beforeThreadId: before });
    const every = await sections();
    const section = every.find((one) => one.sectionId === sectionId);
    const session = await sessions().require(sessionId);
    session.thread = { ...session.thread, section: section === undefined ? null : { id: section.sectionId, name: section.name } };
    sessions().announce(session);
    return every;
  };
  const mark = async (session: Session, read: boolean): Promise<unknown> => {
    session.readState = await markRead(link(), session.id, session.readState, read);
    sessions().announce(session);
    return sessions().summary(session);
  };
  return {
    sections,
    makeSection: ({ name }) => call("threadSection/create", { name }).then(sections),
    renameSection: ({ sectionId, name }) => call("threadSection/update", { sectionId, name }).then(sections),
    removeSection: ({ sectionId }) => call("threadSection/delete", { sectionId }).then(sections),
    moveSession: move,
    archiveMany: ({ sessionIds }) => archive(sessionIds),
    markRead: async ({ sessionId, read }) => mark(await sessions().require(sessionId), read),
    readGoal: async ({ sessionId }) => (await call("thread/goal/get", { threadId: sessionId })).goal ?? null,
    changeGoal: async ({ sessionId, ...change }) => {
      await sessions().attach(sessionId);
      return (await call("thread/goal/set", { threadId: sessionId, ...change })).goal;
    },
    clearGoal: ({ sessionId }) => call("thread/goal/clear", { threadId: sessionId }),
    changeQueued: async ({ sessionId, messageId, input }) => {
      if (!(await messages().change(sessionId, messageId, input))) throw gone();
    },
    reorderQueue: async ({ sessionId, messageIds }) => {
      if (!(await messages().reorder(sessionId, messageIds)))
        throw new Refused(409, "queue_changed", "The messages that wait have changed meanwhile. Look at them again.", null);
    },
    sendQueued: async ({ sessionId, messageId }) => {
      if ((await messages().sendNow(await sessions().require(sessionId), messageId)) === undefined) throw gone();
    },
    ...searching(call, sessions),
    usage: ({ days }) =>
      call("account/usage/breakdown", { since: new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10) }),
    setBudget: (budget) => call("config/batchWrite", { edits: budgetEdits(budget) }),
  };
}

type Searching = "searchAll" | "searchSession" | "timeline" | "readItem";

function searching(call: EngineLink["call"], sessions: MorePorts["sessions"]): Pick<MoreCalls, Searching> {
  return {
    searchAll: async ({ query, archived, cursor }) => {
      const { data, nextCursor = null } = await call("thread/search", {
        ...{ searchTerm: query, archived, cursor, limit: 20, sortKey: "updated_at", sortDirection: "desc" },
      });
      return {
        data: data.map(({ thread, snippet }) => ({ session: sessions().summary(sessions().learn(thread, archived)), snippet })),
        nextCursor,
      };
    },
    searchSession: async ({ sessionId, query, cursor }) => {
      const page = await call("thread/searchOccurrences", { threadId: sessionId, searchTerm: query, cursor, limit: 200 });
      return {
        data: page.data.map(({ snippetMatchRange: { start, end }, ...rest }) => ({ ...rest, start, end })),
        nextCursor: page.nextCursor ?? null,
      };
    },
    timeline: async ({ sessionId, cursor }) => {
      const { data, nextCursor = null } = await call("thread/timeline/list", { threadId: sessionId, cursor, limit: 100 });
      return { data, nextCursor };
    },
    readItem: async ({ sessionId, turnId, itemId }) =>
      (await call("thread/items/read", { threadId: sessionId, turnId, itemIds: [itemId] })).data[0],
  };
}
