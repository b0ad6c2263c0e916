/** The routes for arranging sessions: sections with the pinned one, read marks, snoozing, attachments, archiving many. */
import { array, boolean, integer, literals, maybe, named, nullable, object, string, unknown } from "../../lib/schema.ts";
import { SessionSummary } from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound, SystemSession } from "./records.ts";

const gone = { 404: SessionNotFound, 403: SystemSession, 410: DeletedSession } as const;

/** A section with its sessions in the order in which a person has put them. */
export const Section = named("Section", () =>
  object({ sectionId: string(), name: string(), isPinned: boolean(), sessionIds: array(string()) }),
);
const SectionList = named("SectionList", () => object({ data: array(Section()) }));
const SectionName = named("SectionName", () => object({ name: bounded(string(), { minLength: 1, maxLength: 120 }) }));

const Attachment = named("SessionAttachment", () =>
  object({ attachmentType: string(), identityKey: string(), payload: unknown(), createdAt: integer() }),
);
const AttachmentKey = () => ({
  attachmentType: bounded(string(), { minLength: 1, maxLength: 200 }),
  identityKey: bounded(string(), { minLength: 1, maxLength: 1000 }),
});
const AttachmentList = named("SessionAttachments", () => object({ data: array(Attachment()) }));

export const listRoutes = {
  "GET /api/sections": route({
    summary: "The sections, Pinned first, with the order of their sessions",
    scope: "read",
    answers: { 200: SectionList, 501: Failure },
  }),
  "POST /api/sections": route({
    summary: "Add a section",
    scope: "drive",
    body: SectionName,
    answers: { 200: SectionList, 400: InvalidRequest, 501: Failure },
  }),
  "POST /api/sections/:sectionId": route({
    summary: "Rename a section",
    scope: "drive",
    body: SectionName,
    answers: { 200: SectionList, 400: InvalidRequest, 501: Failure },
  }),
  "DELETE /api/sections/:sectionId": route({
    summary: "Remove a section; its sessions stay",
    scope: "drive",
    answers: { 200: SectionList, 501: Failure },
  }),
  "POST /api/sessions/:sessionId/section": route({
    summary: "Put a session into a section, before another session or at its end; null takes it out",
    scope: "drive",
    body: named("SectionMove", () => object({ sectionId: nullable(string()), beforeSessionId: maybe(string()) })),
    answers: { 200: SectionList, 400: InvalidRequest, 501: Failure, ...gone },
  }),
  "POST /api/sessions/:sessionId/read": route({
    summary: "Mark a session as read or unread, for all clients",
    scope: "approve",
    body: named("ReadMark", () => object({ read: boolean() })),
    answers: {
      200: named("ReadMarked", () => object({ status: literals("ok"), session: SessionSummary() })),
      400: InvalidRequest,
      501: Failure,
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/snooze": route({
    summary: "Leave a session out of the list until this time, in seconds since 1970; null ends it",
    scope: "drive",
    body: named("Snooze", () => object({ until: nullable(bounded(integer(), { minimum: 0, maximum: 4_102_444_800 })) })),
    answers: {
      200: named("Snoozed", () => object({ status: literals("ok"), session: SessionSummary() })),
      400: InvalidRequest,
      ...gone,
    },
  }),
  "POST /api/archive": route({
    summary: "Archive several sessions; what cannot be archived is named with its reason",
    scope: "drive",
    body: named("ArchiveMany", () => object({ sessionIds: bounded(array(string()), { minItems: 1, maxItems: 500 }) })),
    answers: {
      200: named("ArchivedMany", () =>
        object({ status: literals("ok"), archived: array(string()), failed: array(object({ sessionId: string(), message: string() })) }),
      ),
      400: InvalidRequest,
    },
  }),
  "GET /api/sessions/:sessionId/attachments": route({
    summary: "What is attached to a session, such as a pull request or an issue",
    scope: "read",
    answers: { 200: AttachmentList, 501: Failure, ...gone },
  }),
  "POST /api/sessions/:sessionId/attachments": route({
    summary: "Attach something to a session; the same type and key are attached once",
    scope: "drive",
    body: named("AttachmentAdd", () => object({ ...AttachmentKey(), payload: unknown() })),
    answers: { 200: AttachmentList, 400: InvalidRequest, 501: Failure, ...gone },
  }),
  "POST /api/sessions/:sessionId/attachments/remove": route({
    summary: "Remove an attachment",
    scope: "drive",
    body: named("AttachmentRemove", () => object(AttachmentKey())),
    answers: { 200: AttachmentList, 400: InvalidRequest, 501: Failure, ...gone },
  }),
} as const;
