/** Sends the beginning of a thread's first request to a provider that supports it, while the person is still typing. */

import { offeredTools, requestFor } from "../model/request.ts";
import { threadRun } from "../model/run.ts";
import { ToolsUnavailable } from "../ports/tool.ts";
import { LiveTurn } from "../turn/live-turn.ts";
import type { LiveThread } from "./thread.ts";

/** For a thread that was just opened. Costs nothing where the provider does not support it; the first turn reports any failure. */
export async function warmUp(thread: LiveThread): Promise<void> {
  const { config, settings, ports } = thread;
  if (thread.turn !== undefined || thread.readOnlyBecause !== undefined || config.providers[settings.modelProvider] === undefined) return;
  const client = ports.models.clientFor(thread.provider());
  if (client.warmUp === undefined) return;
  const turn = new LiveTurn(thread, { id: "", startedAtMs: ports.clock.now() }); // never begun: building a request needs a turn
  thread.warmsUp(() => turn.interrupt());
  try {
    const run = threadRun(turn);
    const tools = await offeredTools(run);
    if (thread.turn === undefined && !turn.signal.aborted) await client.warmUp(requestFor(run, tools, [], "prewarm"), turn.signal);
  } catch (error) {
    if (!turn.signal.aborted && !(error instanceof ToolsUnavailable)) throw error;
  } finally {
    thread.warmsUp(undefined);
  }
}
