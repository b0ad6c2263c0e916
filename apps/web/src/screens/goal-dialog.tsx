/** Setting the goal of a session, or changing it. */
import { type ReactElement, useId, useState } from "react";
import { useApp, useAppState } from "../app-context.tsx";
import { Button, focusIt } from "../ui/controls.tsx";
import { Dialog } from "../ui/overlays.tsx";

/** Sets a goal or changes it. */
export default function GoalDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }): ReactElement {
  const { controller } = useApp();
  const goal = useAppState((s) => s.goals.get(sessionId));
  const [objective, setObjective] = useState(goal?.objective ?? "");
  const [budget, setBudget] = useState(goal?.tokenBudget == null ? "" : String(goal.tokenBudget));
  const id = useId();
  const tokens = budget.trim() === "" ? null : Number(budget.replace(/[\s_.,]/g, ""));
  const isWrong = tokens !== null && (!Number.isSafeInteger(tokens) || tokens <= 0);
  const save = (): void => {
    onClose();
    const { goals } = controller.connection;
    if (goals === undefined) return;
    const isSame = goal?.objective === objective.trim();
    const status = goal === undefined || !isSame || goal.status === "budgetLimited" ? ({ status: "active" } as const) : {};
    const since = controller.store.get().goals.get(sessionId);
    const work = goals.change(sessionId, { ...(isSame ? {} : { objective: objective.trim() }), tokenBudget: tokens, ...status });
    void controller.try(work).then((made) => {
      if (made !== undefined) controller.store.dispatch({ type: "goal", sessionId, goal: made, since });
    });
  };
  return (
    <Dialog title={goal === undefined ? "Set a goal" : "Change the goal"} onClose={onClose}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (objective.trim() !== "" && !isWrong) save();
        }}
      >
        <p>The agent starts turns by itself until the goal is reached, it is blocked, or the budget is used up.</p>
        <label className="field">
          <span>Goal</span>
          <textarea ref={focusIt} rows={3} maxLength={4000} value={objective} onChange={(e) => setObjective(e.target.value)} dir="auto" />
        </label>
        <div className="field">
          <label htmlFor={id}>
            Budget in tokens <span className="hint">(optional)</span>
          </label>
          <input
            id={id}
            type="text"
            inputMode="numeric"
            value={budget}
            onChange={(e) => setBudget(e.target.value)}
            placeholder="200000"
            aria-invalid={isWrong}
            aria-describedby={`${id}-note`}
          />
          <p id={`${id}-note`} role="status" className={isWrong ? "problem" : "hint"}>
            {isWrong ? "Write a whole number above zero, or leave it empty." : "Without a budget only you or the agent end it."}
          </p>
        </div>
        <div className="row-end">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" disabled={objective.trim() === "" || isWrong}>
            {goal === undefined ? "Start" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
