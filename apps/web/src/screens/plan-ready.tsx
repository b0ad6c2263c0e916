/** The approval of a plan that was made in plan mode: carry it out, with or without asking for edits, or go on planning. */
import type { ReactElement } from "react";
import { useApp } from "../app-context.tsx";
import type { MessageOverrides, SessionSummary, ThreadView } from "../state/model.ts";
import { Button } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { focusSoon } from "./focus.ts";

/** Whether the last turn ended with a plan that nobody has approved yet. */
export const isPlanReady = (session: SessionSummary, thread: ThreadView): boolean => {
  const turn = thread.turns.at(-1);
  return session.sessionControls?.mode === "plan" && turn?.status === "completed" && turn.items.some((item) => item.type === "plan");
};

export function PlanReady({ session, thread }: { session: SessionSummary; thread: ThreadView }): ReactElement | null {
  const { controller } = useApp();
  if (!isPlanReady(session, thread)) return null;
  const carryOut = (overrides: MessageOverrides): void =>
    controller.send(session.sessionId, [{ type: "text", text: "Carry out the plan." }], {
      delivery: "auto",
      overrides: { mode: "default", ...overrides },
    });
  const asksForEdits =
    session.sessionControls?.approvalPolicy === "untrusted" || session.sessionControls?.filesystemSandbox === "read-only";
  return (
    <section className="plan-ready" aria-label="Approve this plan?">
      <h3>
        <Icon name="plan" size={17} /> Approve this plan?
      </h3>
      <p className="hint">Nothing has been changed yet. Until you approve it, the agent only reads.</p>
      <div className="plan-choices">
        <Button tone="primary" icon="check" onClick={() => carryOut({})}>
          Carry out this plan
        </Button>
        {asksForEdits ? (
          <Button
            icon="bolt"
            onClick={() => carryOut({ approvalPolicy: "on-request", filesystemSandbox: "workspace-write", networkAccess: "restricted" })}
          >
            Carry out, edit without asking
          </Button>
        ) : null}
        <Button tone="quiet" icon="edit" onClick={() => focusSoon("#composer")}>
          Say what should be different
        </Button>
        <Button tone="quiet" onClick={() => void controller.changeControls(session, { mode: "default" })}>
          Leave plan mode
        </Button>
      </div>
    </section>
  );
}
