/** A history compacted by its provider can be read only by that provider: with another one, the thread continues from the original messages. */
import { isSealedHistory, unsealedHistory } from "../context/replay.ts";
import { type Run, recordHistory } from "./run.ts";

/** Whether the run's provider compacts histories itself and can read the result. */
export const canUnseal = ({ turn: { thread }, settings }: Run): boolean =>
  thread.ports.catalog.find(settings.model, thread.provider(settings)).compactsRemotely;

/** Whether `unsealHistory` may have something to do. */
export const isSealed = ({ isThreads, history }: Run): boolean => isThreads && history.items.some(isSealedHistory);

/** Call before a request: the model or provider may have changed since the last one. */
export async function unsealHistory(run: Run): Promise<void> {
  const { turn, history } = run;
  const { thread } = turn;
  if (!isSealed(run) || canUnseal(run)) return;
  const records = thread.ephemeral ? thread.kept : await thread.ports.store.read(thread.id);
  const known = new Map(history.items.map((item) => [JSON.stringify(item), item])); // other code compares them by identity
  const items = unsealedHistory(records).map((item) => known.get(JSON.stringify(item)) ?? item);
  if (items.some(isSealedHistory)) return; // it was sealed from the start: the wire reports that it is unreadable
  history.replace(items);
  await recordHistory(run, "");
}
