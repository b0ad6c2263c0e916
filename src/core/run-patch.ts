/** Carries out a patch: item, approval, application, diff. */
import type { LiveTurn } from "./live-turn.ts";
import { type Action, failed, type ToolOutput } from "./ports/tool.ts";

export async function runPatch(_action: Extract<Action, { kind: "patch" }>, _callId: string, _turn: LiveTurn): Promise<ToolOutput> {
  return failed("apply_patch is not available in this build");
}
