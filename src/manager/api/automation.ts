/** The routes for what is prepared once and used again: prompt templates, and messages that the manager sends on a schedule. */
import { array, boolean, type Infer, literals, maybe, named, nullable, object, optional, string } from "../../lib/schema.ts";
import { bounded, route } from "./define.ts";
import { Failure, InvalidRequest } from "./records.ts";

const nameText = () => bounded(string(), { minLength: 1, maxLength: 100 });
const promptText = () => bounded(string(), { minLength: 1, maxLength: 100_000 });

export const Template = named("Template", () =>
  object({ templateId: string(), name: string(), text: string(), createdAt: string(), updatedAt: string() }),
);
export type Template = Infer<typeof Template>;

/** How a scheduled message ended: in a session, or in words why there is none. */
const ScheduleRun = named("ScheduleRun", () =>
  object({
    at: string(),
    outcome: literals("started", "failed", "missed", "still_running"),
    sessionId: nullable(string()),
    message: nullable(string()),
  }),
);
export type ScheduleRun = Infer<typeof ScheduleRun>;

export const Schedule = named("Schedule", () =>
  object({
    scheduleId: string(),
    name: string(),
    prompt: string(),
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    cron: string(),
    /** An IANA time zone, such as `Europe/Berlin`. */
    timeZone: string(),
    cwd: nullable(string()),
    projectId: nullable(string()),
    model: nullable(string()),
    enabled: boolean(),
    /** Whether a run that was missed while the manager was down is made up for once, when it starts again. */
    runMissed: boolean(),
    createdAt: string(),
    updatedAt: string(),
    /** Null while it is switched off. */
    nextRunAt: nullable(string()),
    /** Newest first. */
    runs: array(ScheduleRun()),
  }),
);
export type Schedule = Infer<typeof Schedule>;

const scheduleFields = {
  cwd: maybe(bounded(string(), { minLength: 1, maxLength: 4096 })),
  projectId: maybe(string()),
  model: maybe(bounded(string(), { minLength: 1, maxLength: 200 })),
  enabled: optional(boolean()),
  runMissed: optional(boolean()),
};

export const automationRoutes = {
  "GET /api/templates": route({
    summary: "Prompt templates, by name",
    scope: "read",
    answers: { 200: named("TemplateList", () => object({ data: array(Template()) })) },
  }),
  "POST /api/templates": route({
    summary: "Add a prompt template",
    scope: "drive",
    body: named("TemplateWrite", () => object({ name: nameText(), text: promptText() })),
    answers: { 200: Template, 400: InvalidRequest, 409: Failure },
  }),
  "POST /api/templates/:templateId": route({
    summary: "Change a prompt template",
    scope: "drive",
    body: named("TemplateChange", () => object({ name: optional(nameText()), text: optional(promptText()) })),
    answers: { 200: Template, 400: InvalidRequest, 404: Failure, 409: Failure },
  }),
  "DELETE /api/templates/:templateId": route({
    summary: "Remove a prompt template",
    scope: "drive",
    answers: { 200: named("TemplateRemoved", () => object({ status: literals("ok"), templateId: string() })), 404: Failure },
  }),
  "GET /api/schedules": route({
    summary: "Schedules, by name, with their last runs",
    scope: "read",
    answers: { 200: named("ScheduleList", () => object({ data: array(Schedule()) })) },
  }),
  "POST /api/schedules": route({
    summary: "Add a schedule: at its times the manager starts a session and sends it the prompt",
    scope: "drive",
    body: named("ScheduleWrite", () =>
      object({ name: nameText(), prompt: promptText(), cron: string(), timeZone: string(), ...scheduleFields }),
    ),
    answers: { 200: Schedule, 400: InvalidRequest, 404: Failure, 409: Failure },
  }),
  "POST /api/schedules/:scheduleId": route({
    summary: "Change a schedule, or switch it on or off",
    scope: "drive",
    body: named("ScheduleChange", () =>
      object({
        name: optional(nameText()),
        prompt: optional(promptText()),
        cron: optional(string()),
        timeZone: optional(string()),
        ...scheduleFields,
      }),
    ),
    answers: { 200: Schedule, 400: InvalidRequest, 404: Failure },
  }),
  "POST /api/schedules/:scheduleId/run": route({
    summary: "Run a schedule now, in addition to its times",
    scope: "drive",
    answers: { 200: Schedule, 404: Failure },
  }),
  "DELETE /api/schedules/:scheduleId": route({
    summary: "Remove a schedule; sessions that it started stay",
    scope: "drive",
    answers: { 200: named("ScheduleRemoved", () => object({ status: literals("ok"), scheduleId: string() })), 404: Failure },
  }),
} as const;
