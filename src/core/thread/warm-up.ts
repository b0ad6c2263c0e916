/** Tells a provider that can use it how a thread's first request will begin, while the person still writes. */

import { offeredTools, requestFor } from "../model/request.ts";
import { threadRun } from "../model/run.ts";
import { ToolsUnavailable } from "../ports/tool.ts";
import { LiveTurn } from "../turn/live-turn.ts";
import type { LiveThread } from "./thread.ts";

/** For a thread that was just opened. Costs nothing where the provider has no use for it; whatever fails is the first turn's to report. */
export async function warmUp(thread: LiveThread): Promise<void> {
  const { config, settings, ports } = thread;
  if (thread.turn !== undefined || thread.readOnlyBecause !== undefined || config.providers[settings.modelProvider] === undefined) return;
  const client = ports.models.clientFor(thread.provider());
  if (client.warmUp === undefined) return;
  const turn = new LiveTurn(thread, { id: "", startedAtMs: ports.clock.now() }); // never begun: a request needs one to be written for
  thread.warmsUp(() => turn.interrupt());
  try {
    const run = threadRun(turn);
    const tools = await offeredTools(run);
    if (thread.turn === undefined && !turn.signal.aborted) await client.warmUp(requestFor(run, tools, []), turn.signal);
  } catch (error) {
    if (!turn.signal.aborted && !(error instanceof ToolsUnavailable)) throw error;
  } finally {
    thread.warmsUp(undefined);
  }
}
