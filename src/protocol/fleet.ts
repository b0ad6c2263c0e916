/** What clients learn of a fleet: the workers that run threads on several machines behind one address. Sent by src/front. */
import { type Infer, integer, literals, named, object, string } from "../lib/schema.ts";
import { notification } from "./define.ts";

export const FleetThreadMovedNotification = named("FleetThreadMovedNotification", () =>
  object({ threadId: string(), worker: string(), epoch: integer(), reason: literals("lost", "drained") }),
);
export type FleetThreadMovedNotification = Infer<typeof FleetThreadMovedNotification>;

export const fleetNotifications = {
  /** Another worker of the fleet runs the thread from here on: its worker was lost, or drained. `epoch` grows with each move. Everything that was stored until then was sent before. */
  "fleet/threadMoved": notification(FleetThreadMovedNotification, { own: true }),
};
