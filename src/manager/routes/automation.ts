/** Handlers for prompt templates and schedules. */
import { randomUuid } from "../../lib/random.ts";
import type { automationRoutes, Template } from "../api/automation.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure, invalid } from "../problems.ts";

const maxTemplates = 500;

function requireTemplate(manager: Manager, templateId: string): Template {
  const found = manager.store.state.templates.find((one) => one.templateId === templateId);
  if (found === undefined) throw failure(404, "no_such_template", "There is no such template.");
  return found;
}

/** Names are what people type to use a template, so each exists once. */
function checkName(manager: Manager, name: string, except?: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw invalid([{ path: "name", message: "must not be empty" }]);
  const isTaken = manager.store.state.templates.some(
    (one) => one.templateId !== except && one.name.toLowerCase() === trimmed.toLowerCase(),
  );
  if (isTaken) throw failure(409, "duplicate_name", `There is already a template named ${trimmed}.`);
  return trimmed;
}

function checkProject(manager: Manager, projectId: string | null | undefined): void {
  if (projectId == null || manager.store.state.projects.some((project) => project.projectId === projectId)) return;
  throw failure(404, "no_such_project", "There is no such project.");
}

function templatesChanged(manager: Manager, templates: readonly Template[]): void {
  manager.store.change({ templates: [...templates] });
  manager.hub.emit("templates_changed", null, {});
}

export const automationHandlers: HandlersFor<typeof automationRoutes> = {
  "GET /api/templates": ({ manager }) => ok({ data: [...manager.store.state.templates].sort((a, b) => a.name.localeCompare(b.name)) }),
  "POST /api/templates"({ manager, body }) {
    const { templates } = manager.store.state;
    const name = checkName(manager, body.name);
    if (templates.length >= maxTemplates)
      throw failure(409, "too_many_templates", `There are ${maxTemplates} templates, the most that there may be. Remove one first.`);
    const at = new Date(manager.now()).toISOString();
    const template: Template = { templateId: randomUuid(), name, text: body.text, createdAt: at, updatedAt: at };
    templatesChanged(manager, [...templates, template]);
    return ok(template);
  },
  "POST /api/templates/:templateId"({ manager, path, body }) {
    const before = requireTemplate(manager, path.templateId);
    const template: Template = {
      ...before,
      name: body.name === undefined ? before.name : checkName(manager, body.name, before.templateId),
      text: body.text ?? before.text,
      updatedAt: new Date(manager.now()).toISOString(),
    };
    templatesChanged(
      manager,
      manager.store.state.templates.map((one) => (one === before ? template : one)),
    );
    return ok(template);
  },
  "DELETE /api/templates/:templateId"({ manager, path }) {
    const template = requireTemplate(manager, path.templateId);
    templatesChanged(
      manager,
      manager.store.state.templates.filter((one) => one !== template),
    );
    return ok({ status: "ok", templateId: path.templateId });
  },

  "GET /api/schedules": ({ manager }) => ok({ data: [...manager.schedules.all].sort((a, b) => a.name.localeCompare(b.name)) }),
  async "POST /api/schedules"({ manager, caller, body }) {
    checkProject(manager, body.projectId);
    manager.audit.write({ type: "schedule_added", by: caller.actor, summary: `${body.name}: ${body.cron}` });
    return ok(await manager.schedules.add(body));
  },
  async "POST /api/schedules/:scheduleId"({ manager, caller, path, body }) {
    checkProject(manager, body.projectId);
    const { name } = manager.schedules.require(path.scheduleId);
    manager.audit.write({ type: "schedule_changed", by: caller.actor, summary: name, details: body });
    return ok(await manager.schedules.change(path.scheduleId, body));
  },
  async "POST /api/schedules/:scheduleId/run"({ manager, caller, path }) {
    const { name } = manager.schedules.require(path.scheduleId);
    manager.audit.write({ type: "schedule_run", by: caller.actor, summary: name });
    return ok(await manager.schedules.run(path.scheduleId));
  },
  "DELETE /api/schedules/:scheduleId"({ manager, caller, path }) {
    const { name } = manager.schedules.require(path.scheduleId);
    manager.audit.write({ type: "schedule_removed", by: caller.actor, summary: name });
    manager.schedules.remove(path.scheduleId);
    return ok({ status: "ok", scheduleId: path.scheduleId });
  },
};
