/** A sub-agent's state in the form that models trained on the tools for agents know. */
import type { CollabAgentState } from "../../protocol/item.ts";

export function modelStatus({ status, message }: CollabAgentState): unknown {
  if (status === "completed") return { completed: message ?? null };
  if (status === "errored") return { errored: message ?? "" };
  return status.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
