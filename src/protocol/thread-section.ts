/** Sections, into which threads are sorted by hand. Implemented in server/thread-section.ts. */
import { array, type Infer, maybe, named, natural, nullable, object, string } from "../lib/schema.ts";
import { byLists, request } from "./define.ts";
import { invalidParams } from "./errors.ts";
import { ThreadSection, ThreadSectionAppearance } from "./thread.ts";

export const ThreadSectionListParams = named("ThreadSectionListParams", () => object({ cursor: maybe(string()), limit: maybe(natural()) }));
export type ThreadSectionListParams = Infer<typeof ThreadSectionListParams>;

export const ThreadSectionListResponse = named("ThreadSectionListResponse", () =>
  object({ data: array(ThreadSection()), nextCursor: maybe(string()) }),
);
export type ThreadSectionListResponse = Infer<typeof ThreadSectionListResponse>;

export const ThreadSectionCreateParams = named("ThreadSectionCreateParams", () =>
  object({ appearance: maybe(ThreadSectionAppearance()), name: string() }),
);
export type ThreadSectionCreateParams = Infer<typeof ThreadSectionCreateParams>;

export const ThreadSectionCreateResponse = named("ThreadSectionCreateResponse", () => object({ section: ThreadSection() }));
export type ThreadSectionCreateResponse = Infer<typeof ThreadSectionCreateResponse>;

export const ThreadSectionUpdateParams = named("ThreadSectionUpdateParams", () =>
  object({ appearance: maybe(ThreadSectionAppearance()), name: string(), sectionId: string() }),
);
export type ThreadSectionUpdateParams = Infer<typeof ThreadSectionUpdateParams>;

export const ThreadSectionUpdateResponse = named("ThreadSectionUpdateResponse", () => object({ section: ThreadSection() }));
export type ThreadSectionUpdateResponse = Infer<typeof ThreadSectionUpdateResponse>;

export const ThreadSectionDeleteParams = named("ThreadSectionDeleteParams", () => object({ sectionId: string() }));
export type ThreadSectionDeleteParams = Infer<typeof ThreadSectionDeleteParams>;

export const ThreadSectionDeleteResponse = named("ThreadSectionDeleteResponse", () => object({}));
export type ThreadSectionDeleteResponse = Infer<typeof ThreadSectionDeleteResponse>;

export const ThreadSectionMoveParams = named("ThreadSectionMoveParams", () =>
  object({ beforeThreadId: maybe(string()), sectionId: nullable(string()), threadId: string() }),
);
export type ThreadSectionMoveParams = Infer<typeof ThreadSectionMoveParams>;

export const ThreadSectionMoveResponse = named("ThreadSectionMoveResponse", () => object({}));
export type ThreadSectionMoveResponse = Infer<typeof ThreadSectionMoveResponse>;

/** The built-in section of pinned threads; it cannot be renamed or deleted. */
export const pinnedSectionId = "01984de2-8f74-7c91-a3b2-5c5e937cf318";

export const threadSectionRequests = {
  /** Pages through the sections: Pinned first, then in the order of their creation. */
  "threadSection/list": request({ params: ThreadSectionListParams, result: ThreadSectionListResponse }),
  /** Adds a section. */
  "threadSection/create": request({
    params: ThreadSectionCreateParams,
    result: ThreadSectionCreateResponse,
    order: byLists,
    limits: ({ name, appearance }) => limitSection(name, appearance),
  }),
  /** Renames a section, and changes its appearance where one is given. */
  "threadSection/update": request({
    params: ThreadSectionUpdateParams,
    result: ThreadSectionUpdateResponse,
    order: byLists,
    limits: ({ name, appearance }) => limitSection(name, appearance),
  }),
  /** Removes a section; its threads stay. */
  "threadSection/delete": request({ params: ThreadSectionDeleteParams, result: ThreadSectionDeleteResponse, order: byLists }),
  /** Puts a thread into a section, before another of its threads or at its end; a null section takes it out. */
  "thread/section/move": request({ params: ThreadSectionMoveParams, result: ThreadSectionMoveResponse, order: byLists }),
};

const maxNameLength = 200;
const maxAppearanceBytes = 64;

function limitSection(name: string, appearance: ThreadSectionAppearance | null | undefined): void {
  if (name.trim() === "") throw invalidParams("section name must not be empty");
  if (name.length > maxNameLength) throw invalidParams(`section name takes at most ${maxNameLength} characters`);
  for (const field of ["icon", "color"] as const)
    if (Buffer.byteLength(appearance?.[field] ?? "") > maxAppearanceBytes)
      throw invalidParams(`section appearance ${field} must not exceed ${maxAppearanceBytes} bytes`);
}
