/** The last step of a server request on its way out: the words of the generation that the client speaks. */
import type { ServerRequests } from "../protocol/methods.ts";
import type { Session } from "./app.ts";

export function requestFor(_session: Session, method: keyof ServerRequests, params: unknown): { method: string; params: unknown } {
  return { method, params };
}
