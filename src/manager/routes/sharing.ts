/** Handlers for exports and read-only links. */
import type { Thread } from "../../protocol/thread.ts";
import { readTurns, type Session, withLiveTurn } from "../../sessions/sessions.ts";
import type { sharingRoutes } from "../api/sharing.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";
import { maxShareBytes } from "../shares.ts";
import type { StoredShare } from "../store.ts";
import { open } from "./sessions.ts";

/** No script, nothing from elsewhere, an origin of its own: a shared document can do nothing with the reader's own session. */
const sharePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "sandbox allow-popups allow-popups-to-escape-sandbox",
].join("; ");

const defaultDays = 7;
/** Turns that one document contains at most; older ones are left out, and it says so. */
const maxTurns = 10_000;

/** Throws 413 if the document would be too large. */
async function documentOf(manager: Manager, session: Session, withOutputs: boolean): Promise<string> {
  const { data } = await readTurns(manager.link, session.id, null, maxTurns);
  const title = manager.sessions.titleOf(session.id);
  const thread: Thread = {
    ...session.thread,
    ...(title === null ? {} : { name: title }),
    turns: withLiveTurn(session, data).toReversed(),
  };
  const { htmlOf } = await import("../../sessions/export/html.ts");
  // Paths stay text: the reader does not have these files.
  const html = htmlOf(thread, { withOutputs, openFile: undefined });
  if (Buffer.byteLength(html) <= maxShareBytes) return html;
  const hint = withOutputs ? " Leave out the output of commands and tools." : "";
  throw failure(413, "too_large", `The document would have more than ${maxShareBytes} bytes.${hint}`);
}

const shown = ({ digest: _, ...share }: StoredShare): Omit<StoredShare, "digest"> => share;

export const sharingHandlers: HandlersFor<typeof sharingRoutes> = {
  async "GET /api/sessions/:sessionId/export"({ manager, path, query }) {
    const session = await open(manager, path.sessionId);
    const body = await documentOf(manager, session, query.outputs !== false);
    const headers = {
      "content-security-policy": sharePolicy,
      "content-disposition": `attachment; filename="parley-${session.id.replaceAll(/[^\w-]/g, "")}.html"`,
    };
    return { status: 200, body, headers };
  },
  async "POST /api/sessions/:sessionId/shares"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    const html = await documentOf(manager, session, body.outputs !== false);
    const days = body.days ?? defaultDays;
    manager.audit.write({ type: "share", by: caller.actor, threadId: session.id, summary: `made a read-only link for ${days} days` });
    const title = manager.sessions.titleOf(session.id) ?? session.id;
    const { share, secret } = manager.shares.add(html, { sessionId: session.id, title, by: caller.actor.name }, days);
    return ok({ share: shown(share), url: `${manager.addresses()[0] ?? ""}/share/${secret}` });
  },
  "GET /api/shares": ({ manager }) => ok({ data: manager.shares.all.map(shown).reverse() }),
  "DELETE /api/shares/:shareId"({ manager, caller, path }) {
    manager.audit.write({ type: "share_ended", by: caller.actor, summary: `ended the link ${path.shareId}` });
    if (!manager.shares.end(path.shareId)) throw failure(404, "no_such_share", "There is no such link.");
    return ok({ status: "ok", shareId: path.shareId });
  },
  "GET /share/:secret"({ manager, path }) {
    const body = manager.shares.read(path.secret);
    if (body === undefined) throw failure(404, "no_such_share", "This link has ended, or was never made.");
    return { status: 200, body, headers: { "content-security-policy": sharePolicy } };
  },
};
