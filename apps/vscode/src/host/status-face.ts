/** The status bar's text, for each state of the server and the sessions. */
import type { LinkState } from "../../../../src/sessions/link.ts";

export interface StatusFace {
  readonly text: string;
  readonly tooltip: string;
  /** Without icons, for screen readers. */
  readonly spoken: string;
  readonly command: string;
  readonly alarm?: "error" | "warning";
}

export function statusFace(state: LinkState, waiting: number, working: number): StatusFace {
  if (state.kind === "failed")
    return {
      text: "$(error) Parley",
      tooltip: `The server keeps ending: ${state.reason}\n\nClick to start it again.`,
      spoken: "Parley: the server has stopped",
      command: "parley.restartServer",
      alarm: "error",
    };
  if (state.kind === "lost")
    return {
      text: "$(debug-disconnect) Parley",
      tooltip: `The server ended: ${state.reason}\n\nIt is being started again.`,
      spoken: "Parley: the server is being started again",
      command: "parley.showLog",
    };
  if (state.kind === "stopped")
    return {
      text: "$(comment-discussion) Parley",
      tooltip: "Open the panel to start.",
      spoken: "Parley: not started",
      command: "parley.openPanel",
    };
  if (state.kind !== "running")
    return {
      text: "$(loading~spin) Parley",
      tooltip: "The server is starting.",
      spoken: "Parley: the server is starting",
      command: "parley.showLog",
    };
  if (waiting > 0)
    return {
      text: `$(bell-dot) Parley ${waiting}`,
      tooltip: `${waiting === 1 ? "One thing waits" : `${waiting} things wait`} for you.`,
      spoken: `Parley: ${waiting} waiting for you`,
      command: "parley.nextWaiting",
      alarm: "warning",
    };
  if (working > 0)
    return {
      text: "$(sync~spin) Parley",
      tooltip: `${working === 1 ? "One session works" : `${working} sessions work`}.`,
      spoken: `Parley: ${working} working`,
      command: "parley.openPanel",
    };
  return {
    text: "$(comment-discussion) Parley",
    tooltip: `Ready. ${state.userAgent}`,
    spoken: "Parley: ready",
    command: "parley.openPanel",
  };
}
