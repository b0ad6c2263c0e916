/** The goal of a session: what it works towards by itself, how far it is, and its budget. */
import type { ReactElement } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import type { GoalChange } from "../connection/more-calls.ts";
import { compact, duration } from "../state/format.ts";
import type { Goal } from "../state/model.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

const states: Readonly<Record<Goal["status"], string>> = {
  active: "Working towards it",
  paused: "Paused",
  blocked: "Blocked",
  usageLimited: "Stopped: the account's limit is reached",
  budgetLimited: "Stopped: its budget is used up",
  complete: "Reached",
};

export function GoalBar({ sessionId, onEdit }: { sessionId: string; onEdit: () => void }): ReactElement | null {
  const { controller, scope } = useApp();
  const goal = useAppState((s) => s.goals.get(sessionId));
  const { goals } = controller.connection;
  if (goal === undefined || goals === undefined) return null;
  const change = (part: GoalChange): void => void controller.try(goals.change(sessionId, part));
  return (
    <section className={`goal-bar goal-${goal.status}`} aria-label="Goal">
      <Icon name="target" size={16} />
      <div className="goal-text">
        <p className="goal-objective" dir="auto" title={goal.objective}>
          {goal.objective}
        </p>
        <GoalProgress goal={goal} />
      </div>
      {allows(scope, "drive") ? (
        <span className="goal-actions">
          {goal.status === "active" ? (
            <IconButton icon="pause" size={16} label="Pause the goal" onClick={() => change({ status: "paused" })} />
          ) : goal.status === "complete" ? null : (
            <IconButton icon="play" size={16} label="Go on with the goal" onClick={() => change({ status: "active" })} />
          )}
          <IconButton icon="edit" size={16} label="Change the goal" onClick={onEdit} />
          <IconButton icon="close" size={16} label="Give the goal up" onClick={() => void controller.try(goals.clear(sessionId))} />
        </span>
      ) : null}
    </section>
  );
}

function GoalProgress({ goal }: { goal: Goal }): ReactElement {
  const budget = goal.tokenBudget ?? null;
  return (
    <p className="goal-progress">
      <span>{states[goal.status]}</span>
      <span>
        {compact(goal.tokensUsed)}
        {budget === null ? " tokens" : ` of ${compact(budget)} tokens`}
      </span>
      {goal.timeUsedSeconds === 0 ? null : <span>{duration(goal.timeUsedSeconds * 1000)}</span>}
      {budget === null ? null : (
        <meter min={0} max={budget} high={budget * 0.8} value={Math.min(budget, goal.tokensUsed)} aria-label="Used of the goal's budget" />
      )}
    </p>
  );
}
