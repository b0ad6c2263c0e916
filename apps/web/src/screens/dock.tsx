/** The lower edge of a session: what waits for an answer, what is queued, and the composer. None of them takes another's place. */
import { type ReactElement, useMemo } from "react";
import { allows, useApp } from "../app-context.tsx";
import { RequestCard } from "../parts/requests/card.tsx";
import type { ItemOf, PendingView, SessionSummary, ThreadView } from "../state/model.ts";
import { modeOf, permissionModes } from "../state/modes.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Composer } from "./composer/composer.tsx";
import { ControlPickers } from "./composer/controls.tsx";
import { TokenMeter } from "./meter.tsx";
import { whyAsked } from "./why.ts";

export interface DockProps {
  readonly sessionId: string;
  readonly session: SessionSummary | undefined;
  readonly thread: ThreadView | undefined;
  readonly pending: readonly PendingView[];
  readonly onCommand: (name: string) => void;
}

export function Dock({ sessionId, session, thread, pending, onCommand }: DockProps): ReactElement {
  const { controller, settings, scope } = useApp();
  const running = session?.activeTurnId != null || thread?.turns.at(-1)?.status === "inProgress";
  return (
    <div className="dock">
      <div className="column">
        {pending.length === 0 ? null : (
          <div className="dock-cards">
            {pending.length > 1 ? <p className="dock-count">{pending.length} things wait for you</p> : null}
            {pending.map((request) => (
              <DockCard
                key={request.requestId}
                request={request}
                thread={thread}
                session={session}
                letters={settings.cardKeys && allows(scope, "approve")}
              />
            ))}
          </div>
        )}
        <Queue sessionId={sessionId} thread={thread} />
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
          onStop={() => void controller.try(controller.connection.interrupt(sessionId))}
          onCommand={onCommand}
          footer={session === undefined ? null : <SessionControls session={session} />}
          meter={thread?.tokenUsage == null ? null : <TokenMeter usage={thread.tokenUsage} />}
        />
      </div>
    </div>
  );
}

function DockCard({
  request,
  thread,
  session,
  letters,
}: {
  request: PendingView;
  thread: ThreadView | undefined;
  session: SessionSummary | undefined;
  letters: boolean;
}): ReactElement {
  const { controller, scope } = useApp();
  const { connection } = controller;
  const change = useMemo(() => findChange(thread, request), [thread, request]);
  return (
    <RequestCard
      request={request}
      change={change}
      letters={letters}
      mayMakeRules={allows(scope, "admin")}
      why={whyAsked(request, session)}
      cwd={session?.cwd}
      onShowChange={
        request.kind === "fileChange" && connection.showChange !== undefined ? () => connection.showChange?.(request) : undefined
      }
      onKeep={
        connection.keep === undefined ? undefined : () => void controller.try(connection.keep?.(request.requestId) ?? Promise.resolve())
      }
      onAnswer={(reply) => void controller.answer(request, reply)}
    />
  );
}

/** The item that a file-change request is about: its diff is what the person decides on. */
function findChange(thread: ThreadView | undefined, request: PendingView): ItemOf<"fileChange"> | undefined {
  if (request.kind !== "fileChange" || request.itemId === null) return undefined;
  for (const turn of [...(thread?.turns ?? [])].reverse()) {
    const item = turn.items.find((i) => i.id === request.itemId);
    if (item?.type === "fileChange") return item;
  }
  return undefined;
}

function Queue({ sessionId, thread }: { sessionId: string; thread: ThreadView | undefined }): ReactElement | null {
  const { controller } = useApp();
  if (thread === undefined || thread.queue.length === 0) return null;
  return (
    <ul className="queue" aria-label="Queued messages">
      {thread.queue.map((message) => (
        <li key={message.messageId}>
          <Icon name="clock" size={14} />
          <span className="queue-text">{message.text || "Attachment"}</span>
          <span className="hint">sent when this turn ends</span>
          <IconButton
            icon="close"
            size={14}
            label="Take this message back"
            onClick={() => void controller.try(controller.connection.unqueue(sessionId, message.messageId))}
          />
        </li>
      ))}
    </ul>
  );
}

function SessionControls({ session }: { session: SessionSummary }): ReactElement | null {
  const { controller, scope } = useApp();
  const controls = session.sessionControls;
  const mode = controls === null ? permissionModes[1] : modeOf(controls);
  const save = (part: Partial<NonNullable<SessionSummary["sessionControls"]>>): void => {
    const base = controls ?? {
      model: session.model ?? null,
      approvalPolicy: "untrusted",
      networkAccess: "restricted",
      filesystemSandbox: "workspace-write",
      settings: {},
    };
    void controller.try(controller.connection.setControls(session.sessionId, { ...base, ...part }));
  };
  if (mode === undefined) return null;
  return (
    <ControlPickers
      model={controls?.model ?? session.model ?? null}
      effort={controls?.effort ?? null}
      mode={mode}
      disabled={!allows(scope, "drive")}
      onModel={(model) => save({ model })}
      onEffort={(effort) => save({ effort })}
      onMode={(m) => save({ approvalPolicy: m.approvalPolicy, filesystemSandbox: m.filesystemSandbox, networkAccess: m.networkAccess })}
    />
  );
}
