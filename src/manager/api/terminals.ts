/** The routes for a session's programs: terminals of people, commands that the agent left running, and previews of local ports. */
import { array, boolean, type Infer, integer, literals, named, natural, nullable, object, optional, string } from "../../lib/schema.ts";
import { ThreadBackgroundTerminal } from "../../protocol/background-terminals.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound, SystemSession } from "./records.ts";

export const Terminal = named("Terminal", () =>
  object({
    terminalId: string(),
    sessionId: string(),
    cwd: string(),
    openedAt: string(),
    by: string(),
    /** Null while it runs. */
    exitCode: nullable(integer()),
  }),
);
export type Terminal = Infer<typeof Terminal>;

export const Preview = named("Preview", () =>
  object({ previewId: string(), port: natural(), openedAt: string(), by: string(), address: string() }),
);
export type Preview = Infer<typeof Preview>;

const size = () => bounded(integer(), { minimum: 1, maximum: 1000 });
const gate = { 403: SystemSession, 404: SessionNotFound, 410: DeletedSession } as const;

export const terminalRoutes = {
  "GET /api/terminal": route({
    summary: "Websocket of a terminal in the session's folder, outside of the sandbox: binary frames are bytes, text frames are JSON",
    scope: "admin",
    media: "websocket",
    query: named("TerminalQuery", () =>
      object({
        sessionId: string(),
        /** An open terminal to join; a new one is opened without it. */
        terminalId: optional(string()),
        cols: optional(size()),
        rows: optional(size()),
      }),
    ),
    answers: { 101: named("TerminalUpgraded", () => object({})), 400: InvalidRequest, 426: Failure },
  }),
  "GET /api/terminals": route({
    summary: "Open terminals",
    scope: "admin",
    answers: { 200: named("TerminalList", () => object({ data: array(Terminal()) })) },
  }),
  "DELETE /api/terminals/:terminalId": route({
    summary: "Close a terminal and end everything in it",
    scope: "admin",
    answers: { 200: named("TerminalClosed", () => object({ status: literals("ok"), terminalId: string() })), 404: Failure },
  }),
  "GET /api/sessions/:sessionId/background-terminals": route({
    summary: "Commands that the agent left running",
    scope: "read",
    answers: {
      200: named("BackgroundTerminalList", () => object({ data: array(ThreadBackgroundTerminal()) })),
      ...gate,
      501: Failure,
    },
  }),
  "DELETE /api/sessions/:sessionId/background-terminals/:processId": route({
    summary: "End one of them",
    scope: "drive",
    answers: {
      200: named("BackgroundTerminalEnded", () => object({ status: literals("ok"), terminated: boolean() })),
      ...gate,
      501: Failure,
    },
  }),
  "GET /api/previews": route({
    summary: "Open previews of local ports",
    scope: "admin",
    answers: { 200: named("PreviewList", () => object({ data: array(Preview()) })) },
  }),
  "POST /api/previews": route({
    summary: "Make a local port visible to signed-in browsers, at an address of its own; `url` works once",
    scope: "admin",
    body: named("PreviewOpen", () => object({ port: bounded(integer(), { minimum: 1, maximum: 65_535 }) })),
    answers: {
      200: named("PreviewOpened", () => object({ preview: Preview(), url: string() })),
      400: InvalidRequest,
      409: Failure,
    },
  }),
  "DELETE /api/previews/:previewId": route({
    summary: "Close a preview",
    scope: "admin",
    answers: { 200: named("PreviewClosed", () => object({ status: literals("ok"), previewId: string() })), 404: Failure },
  }),
} as const;
