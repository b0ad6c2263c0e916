/** The routes for notifications on this device while its page is closed (Web Push). */
import { boolean, type Infer, literals, named, nullable, object, string } from "../../lib/schema.ts";
import { bounded, route } from "./define.ts";
import { Failure, InvalidRequest } from "./records.ts";

/** What a device wants to be notified of. */
export const PushWants = named("PushWants", () => object({ needsYou: boolean(), done: boolean(), failed: boolean() }));
export type PushWants = Infer<typeof PushWants>;

const PushState = named("PushState", () =>
  object({
    /** The manager's key, which the browser subscribes with. */
    publicKey: string(),
    /** Null while this device has no subscription. */
    wants: nullable(PushWants()),
  }),
);

export const pushRoutes = {
  "GET /api/push": route({
    summary: "The key for subscribing, and what this device is notified of",
    scope: "read",
    answers: { 200: PushState },
  }),
  "POST /api/push": route({
    summary: "Notify this device from now on, or change what it is notified of",
    scope: "read",
    body: named("PushSubscribe", () =>
      object({
        endpoint: bounded(string(), { minLength: 1, maxLength: 2048 }),
        keys: object({
          p256dh: bounded(string(), { minLength: 1, maxLength: 200 }),
          auth: bounded(string(), { minLength: 1, maxLength: 100 }),
        }),
        wants: PushWants(),
      }),
    ),
    answers: { 200: PushState, 400: InvalidRequest, 409: Failure },
  }),
  "DELETE /api/push": route({ summary: "No longer notify this device", scope: "read", answers: { 200: PushState } }),
  "POST /api/push/test": route({
    summary: "Send a notification to this device now",
    scope: "read",
    answers: { 200: named("PushTested", () => object({ status: literals("ok") })), 409: Failure, 502: Failure },
  }),
} as const;
