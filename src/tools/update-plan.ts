/** `update_plan`: the model's list of steps, shown live. */

import { succeeded } from "../core/ports/tool.ts";
import { array, described, literals, maybe, named, object, string } from "../lib/schema.ts";
import { changed } from "./arguments.ts";
import { functionTool } from "./define.ts";

const Args = named("UpdatePlanArgs", () =>
  object({
    explanation: maybe(described(string(), "Why the plan changed, when it did.")),
    plan: array(object({ step: string(), status: literals("pending", "in_progress", "completed") })),
  }),
);

const onWire = { pending: "pending", in_progress: "inProgress", completed: "completed" } as const;

export const updatePlan = functionTool({
  name: "update_plan",
  description: "Shows the person your plan. Give the whole list each time; at most one step is in_progress.",
  args: Args,
  aliases: ["todo_write", "write_todos", "todowrite", "plan"],
  otherNames: { todos: "plan", steps: "plan", items: "plan", tasks: "plan" },
  adapt: (args) => changed(args, "plan", (plan) => (Array.isArray(plan) ? plan.map(stepFrom) : plan)),
  plan({ explanation, plan }) {
    return {
      kind: "direct",
      async run(context) {
        context.notify("turn/plan/updated", {
          threadId: context.threadId,
          turnId: context.turnId,
          explanation: explanation ?? null,
          plan: plan.map(({ step, status }) => ({ step, status: onWire[status] })),
        });
        return succeeded("Plan updated");
      },
    };
  },
});

const statusTexts: Readonly<Record<string, string>> = {
  ...{ done: "completed", complete: "completed", finished: "completed", cancelled: "completed" },
  ...{ todo: "pending", not_started: "pending", open: "pending", "": "pending" },
  ...{ doing: "in_progress", active: "in_progress", inprogress: "in_progress", started: "in_progress", current: "in_progress" },
};

/** A step as other agents write it: plain text, or different names for its text or status. */
function stepFrom(given: unknown): unknown {
  if (typeof given === "string") return { step: given, status: "pending" };
  if (typeof given !== "object" || given === null) return given;
  const fields: Readonly<Record<string, unknown>> = { ...given };
  const step = fields["step"] ?? fields["content"] ?? fields["task"] ?? fields["title"] ?? fields["text"] ?? fields["description"];
  const status = fields["status"] ?? fields["state"] ?? "pending";
  const statusName =
    typeof status === "string"
      ? status
          .trim()
          .toLowerCase()
          .replaceAll(/[\s-]+/g, "_")
      : "";
  return { step, status: statusTexts[statusName] ?? status };
}
