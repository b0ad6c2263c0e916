/** The routes for showing a session to others: one HTML file, and read-only links to a snapshot of it. */
import { array, boolean, integer, literals, named, natural, object, optional, string } from "../../lib/schema.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound, SystemSession } from "./records.ts";

export const Share = named("Share", () =>
  object({
    shareId: string(),
    sessionId: string(),
    title: string(),
    bytes: natural(),
    createdAt: string(),
    expiresAt: string(),
    by: string(),
  }),
);

const Html = named("Html", () => string());
const session = { 403: SystemSession, 404: SessionNotFound, 410: DeletedSession, 413: Failure } as const;

export const sharingRoutes = {
  "GET /api/sessions/:sessionId/export": route({
    summary: "The session as one HTML file without scripts",
    scope: "read",
    media: "text/html",
    query: named("ExportQuery", () => object({ outputs: optional(boolean()) })),
    answers: { 200: Html, 400: InvalidRequest, ...session },
  }),
  "POST /api/sessions/:sessionId/shares": route({
    summary: "Make a read-only link to the session as it is now; whoever has the link needs no sign-in",
    scope: "admin",
    body: named("ShareMake", () =>
      object({
        days: optional(bounded(integer(), { minimum: 1, maximum: 90 })),
        /** Whether the output of commands and tools is included. */
        outputs: optional(boolean()),
      }),
    ),
    answers: {
      200: named("ShareMade", () => object({ share: Share(), url: string() })),
      400: InvalidRequest,
      409: Failure,
      ...session,
    },
  }),
  "GET /api/shares": route({
    summary: "The read-only links that still work",
    scope: "admin",
    answers: { 200: named("ShareList", () => object({ data: array(Share()) })) },
  }),
  "DELETE /api/shares/:shareId": route({
    summary: "End a read-only link",
    scope: "admin",
    answers: { 200: named("ShareEnded", () => object({ status: literals("ok"), shareId: string() })), 404: Failure },
  }),
  "GET /share/:secret": route({
    summary: "The shared snapshot, for whoever has the link",
    scope: null,
    media: "text/html",
    answers: { 200: Html, 404: Failure },
  }),
} as const;
