/** The agent's plan, with its current step. */
import type { ReactElement } from "react";
import type { PlanView } from "../state/model.ts";

const stepLabels = { pending: "to do", inProgress: "in progress", completed: "done" } as const;

export function PlanList({ plan }: { plan: PlanView }): ReactElement {
  return (
    <div className="plan">
      {plan.explanation === null ? null : (
        <p className="plan-why" dir="auto">
          {plan.explanation}
        </p>
      )}
      <ol className="plan-steps">
        {plan.steps.map((step, i) => (
          <li key={i} className={`plan-step plan-step-${step.status}`} aria-current={step.status === "inProgress" ? "step" : undefined}>
            <span className="plan-mark" aria-hidden="true" />
            <span dir="auto">
              {step.step}
              <span className="visually-hidden"> ({stepLabels[step.status]})</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function planProgress(plan: PlanView): { done: number; total: number; current: string | null } {
  return {
    done: plan.steps.filter((s) => s.status === "completed").length,
    total: plan.steps.length,
    current: plan.steps.find((s) => s.status === "inProgress")?.step ?? null,
  };
}
