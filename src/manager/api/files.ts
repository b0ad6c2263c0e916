/** The routes for looking at a file of a session, small edits of it, and finding folders. */
import { array, boolean, literals, named, natural, nullable, object, string } from "../../lib/schema.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound, SystemSession } from "./records.ts";

const gone = { 404: SessionNotFound, 403: SystemSession, 410: DeletedSession } as const;
const file = () => bounded(string(), { minLength: 1, maxLength: 4096 });

export const fileRoutes = {
  "GET /api/sessions/:sessionId/file": route({
    summary: "A text file in the session's folder",
    scope: "read",
    query: named("FileQuery", () => object({ path: file() })),
    answers: {
      200: named("FileRead", () =>
        object({
          /** Absolute. */
          path: string(),
          text: string(),
          size: natural(),
          /** Names the content; saving needs it. */
          version: string(),
          /** Why it cannot be changed here; null if it can. */
          readOnly: nullable(string()),
        }),
      ),
      400: InvalidRequest,
      409: Failure,
      501: Failure,
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/file": route({
    summary: "Save a text file that was read before; refused as `file_changed` if it has changed since",
    scope: "drive",
    body: named("FileSave", () => object({ path: file(), text: bounded(string(), { maxLength: 1_000_000 }), version: string() })),
    answers: {
      200: named("FileSaved", () => object({ status: literals("ok"), path: string(), version: string() })),
      400: InvalidRequest,
      409: Failure,
      501: Failure,
      ...gone,
    },
  }),
  "GET /api/folders": route({
    summary: "Folders on the engine's machine whose path begins like this",
    scope: "drive",
    query: named("FoldersQuery", () => object({ path: bounded(string(), { maxLength: 4096 }) })),
    answers: {
      200: named("FoldersFound", () =>
        object({ data: array(object({ name: string(), path: string() })), isFolder: boolean(), truncated: boolean() }),
      ),
      400: InvalidRequest,
      501: Failure,
    },
  }),
} as const;
