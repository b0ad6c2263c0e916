/** `update_plan`: the model's list of steps, shown live. */

import { said, type Tool } from "../core/ports/tool.ts";
import { array, literals, maybe, named, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";

const Args = named("UpdatePlanArgs", () =>
  object({
    explanation: maybe(string()),
    plan: array(object({ step: string(), status: literals("pending", "in_progress", "completed") })),
  }),
);

const onWire = { pending: "pending", in_progress: "inProgress", completed: "completed" } as const;

export const updatePlan: Tool = {
  name: "update_plan",
  spec: {
    type: "function",
    name: "update_plan",
    description: "Shows the person your plan. Give the whole list each time; at most one step is in_progress.",
    strict: false,
    parameters: parameters(
      {
        explanation: { type: "string", description: "Why the plan changed, when it did." },
        plan: {
          type: "array",
          items: {
            type: "object",
            properties: { step: { type: "string" }, status: { type: "string", enum: ["pending", "in_progress", "completed"] } },
            required: ["step", "status"],
            additionalProperties: false,
          },
        },
      },
      ["plan"],
    ),
  },
  plan(call) {
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { explanation, plan } = read.args;
    return {
      kind: "direct",
      async run(context) {
        context.notify("turn/plan/updated", {
          threadId: context.threadId,
          turnId: context.turnId,
          explanation: explanation ?? null,
          plan: plan.map(({ step, status }) => ({ step, status: onWire[status] })),
        });
        return said("Plan updated");
      },
    };
  },
};
