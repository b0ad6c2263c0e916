/** A fleet's workers in words and in the order in which people look for them. */
import type { FleetStatus } from "../connection/tools.ts";

export type FleetWorker = FleetStatus["workers"][number];
type State = FleetWorker["state"];

export const stateWords: Readonly<Record<State, { readonly label: string; readonly meaning: string }>> = {
  up: { label: "Up", meaning: "" },
  draining: { label: "Draining", meaning: "It takes no new threads, lets running turns end, and exits." },
  lost: { label: "Lost", meaning: "It no longer reports. Other workers go on with its threads; see what happened to its machine." },
};

const order: readonly State[] = ["lost", "draining", "up"];

/** Those that need somebody first. */
export const inOrder = (workers: readonly FleetWorker[]): readonly FleetWorker[] =>
  workers.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.name.localeCompare(b.name, undefined, { numeric: true }));

/** `3 workers: 2 up, 1 lost.` */
export function inShort(workers: readonly FleetWorker[]): string {
  if (workers.length === 0) return "No workers.";
  const counts = (["up", "draining", "lost"] as const).flatMap((state) => {
    const count = workers.filter((one) => one.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return `${workers.length === 1 ? "1 worker" : `${workers.length} workers`}: ${counts.join(", ")}.`;
}
