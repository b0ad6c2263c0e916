/** An open request as shown on the screens: with the answers this device may give, and its diff. */
import type { ReactElement, ReactNode } from "react";
import { allows, useApp } from "../app-context.tsx";
import { RequestCard } from "../parts/requests/card.tsx";
import type { PendingView, SessionSummary } from "../state/model.ts";
import { useRequestedChange } from "./requested-change.ts";
import { whyAsked } from "./why.ts";

export function WaitingCard({
  request,
  session,
  context,
  position,
}: {
  request: PendingView;
  session: SessionSummary | undefined;
  context?: ReactNode;
  position?: string;
}): ReactElement {
  const { controller, settings, scope } = useApp();
  const { connection } = controller;
  const canAnswer = allows(scope, "approve");
  const mayMakeRules = allows(scope, "admin");
  return (
    <RequestCard
      request={request}
      change={useRequestedChange(request)}
      canAnswer={canAnswer}
      mayMakeRules={mayMakeRules}
      mayAllowTools={mayMakeRules && connection.allowTool !== undefined}
      letters={settings.cardKeys && canAnswer}
      why={whyAsked(request, session)}
      cwd={session?.cwd}
      context={context}
      position={position}
      onShowChange={
        request.kind === "fileChange" && connection.showChange !== undefined ? () => connection.showChange?.(request) : undefined
      }
      onKeep={
        connection.keep === undefined || !canAnswer
          ? undefined
          : () => void controller.try(connection.keep?.(request.requestId) ?? Promise.resolve())
      }
      onAnswer={(reply) => void controller.answer(request, reply)}
    />
  );
}
