/** The lower edge of a session: open requests, queued messages, and the composer. None of them hides another. */
import { memo, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import type { PendingView, SessionSummary, ThreadTokenUsage, ThreadView } from "../state/model.ts";
import { modeOf, permissionModes } from "../state/modes.ts";
import { focusFallback, IconButton } from "../ui/controls.tsx";
import { Composer } from "./composer/composer.tsx";
import { ControlPickers } from "./composer/controls.tsx";
import { GoalBar } from "./goal-bar.tsx";
import { Cost, TokenMeter } from "./meter.tsx";
import { Queue } from "./queue.tsx";
import { WaitingCard } from "./request-card.tsx";

export interface DockProps {
  readonly sessionId: string;
  readonly session: SessionSummary | undefined;
  readonly running: boolean;
  readonly queue: ThreadView["queue"];
  readonly usage: ThreadTokenUsage | null;
  readonly pending: readonly PendingView[];
  /** The request that the user navigated to. */
  readonly requestId: string | null;
  readonly onCommand: (name: string) => void;
}

/** It is not drawn again for each word that streams in: it gets the parts of the thread that it shows. */
export const Dock = memo(function Dock(props: DockProps): ReactElement {
  const { sessionId, session, running, queue, usage, pending, requestId, onCommand } = props;
  const { controller, scope } = useApp();
  return (
    <div className="dock">
      <div className="column">
        <DockCards pending={pending} requestId={requestId} session={session} />
        <GoalBar sessionId={sessionId} onEdit={() => onCommand("goal")} />
        <Queue sessionId={sessionId} queue={queue} running={running} />
        <Composer
          key={sessionId}
          draftKey={sessionId}
          sessionId={sessionId}
          cwd={session?.cwd ?? ""}
          running={running}
          disabled={!allows(scope, "drive") || session?.archived === true}
          placeholder={session?.archived === true ? "This session is archived" : running ? "Add to what it is doing…" : "Reply…"}
          onSend={(input, delivery) => {
            controller.send(sessionId, input, { delivery, overrides: {} });
            return true;
          }}
          {...(allows(scope, "drive") ? { onStop: () => void controller.try(controller.connection.interrupt(sessionId)) } : {})}
          onCommand={onCommand}
          footer={session === undefined ? null : <SessionControls session={session} />}
          meter={
            usage === null ? null : (
              <>
                <Cost sessionId={sessionId} usage={usage} />
                <TokenMeter usage={usage} />
              </>
            )
          }
        />
      </div>
    </div>
  );
});

/** One card at a time, in full: the current request is never squeezed by later ones. */
function DockCards({
  pending,
  requestId,
  session,
}: {
  pending: readonly PendingView[];
  requestId: string | null;
  session: SessionSummary | undefined;
}): ReactElement | null {
  const [chosen, setChosen] = useState(requestId);
  useEffect(() => setChosen(requestId), [requestId]);
  useFocusAfterAnswer(pending);
  const at = Math.max(
    0,
    pending.findIndex((request) => request.requestId === chosen),
  );
  const request = pending[at];
  if (request === undefined) return null;
  const step = (by: number): void => setChosen(pending[(at + by + pending.length) % pending.length]?.requestId ?? null);
  return (
    <div className="dock-cards">
      {pending.length === 1 ? null : (
        <div className="dock-count">
          <span>
            {at + 1} of {pending.length} that wait for you, {pending.length - 1} more
          </span>
          <span className="spacer" />
          <IconButton icon="chevronLeft" size={16} label="Previous request" onClick={() => step(-1)} />
          <IconButton icon="chevronRight" size={16} label="Next request" onClick={() => step(1)} />
        </div>
      )}
      <WaitingCard key={request.requestId} request={request} session={session} />
    </div>
  );
}

/** After a keyboard answer the focus moves to the next card, or to the composer after the last one. */
function useFocusAfterAnswer(pending: readonly PendingView[]): void {
  const before = useRef(pending);
  useLayoutEffect(() => {
    const ended = before.current.some(({ requestId }) => !pending.some((request) => request.requestId === requestId));
    before.current = pending;
    if (!ended || document.activeElement !== document.body) return;
    const next = document.querySelector<HTMLElement>(".dock-cards [data-request]");
    if (next === null) focusFallback();
    else next.focus();
  }, [pending]);
}

function SessionControls({ session }: { session: SessionSummary }): ReactElement | null {
  const { controller, scope } = useApp();
  const controls = session.sessionControls;
  const mode = controls === null ? permissionModes[1] : modeOf(controls);
  const save = (part: Partial<NonNullable<SessionSummary["sessionControls"]>>): void => void controller.changeControls(session, part);
  if (mode === undefined) return null;
  return (
    <ControlPickers
      model={controls?.model ?? session.model ?? null}
      effort={controls?.effort ?? null}
      mode={mode}
      disabled={!allows(scope, "drive")}
      onModel={(model) => save({ model })}
      onEffort={(effort) => save({ effort })}
      isPlanning={controls?.mode === "plan"}
      onPlan={(on) => save({ mode: on ? "plan" : "default" })}
      onMode={(m) => save({ approvalPolicy: m.approvalPolicy, filesystemSandbox: m.filesystemSandbox, networkAccess: m.networkAccess })}
    />
  );
}
