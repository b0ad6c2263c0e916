/** Handlers for notifications on this device. */
import type { pushRoutes } from "../api/push.ts";
import { type HandlersFor, ok } from "../handlers.ts";

export const pushHandlers: HandlersFor<typeof pushRoutes> = {
  "GET /api/push": ({ manager, caller }) => ok({ publicKey: manager.push.publicKey, wants: manager.push.wants(caller.device) }),
  "POST /api/push"({ manager, caller, body }) {
    manager.push.subscribe(caller.device, { endpoint: body.endpoint, ...body.keys, wants: body.wants });
    return ok({ publicKey: manager.push.publicKey, wants: manager.push.wants(caller.device) });
  },
  "DELETE /api/push"({ manager, caller }) {
    manager.push.unsubscribe(caller.device?.deviceId);
    return ok({ publicKey: manager.push.publicKey, wants: null });
  },
  async "POST /api/push/test"({ manager, caller }) {
    await manager.push.test(caller.device);
    return ok({ status: "ok" });
  },
};
