/** `thread/approveGuardianDeniedAction`: the user allows one more try of what the automatic review denied. */
import { developerMessage } from "../core/context/history.ts";
import { literals, named, object, problem, string } from "../lib/schema.ts";
import type { approvalReviewRequests } from "../protocol/approval-review.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { HandlersFor } from "./app.ts";

const DeniedEvent = named("GuardianDeniedEvent", () => object({ id: string(), status: literals("denied") }));

export const approvalReviewHandlers: HandlersFor<typeof approvalReviewRequests> = {
  async "thread/approveGuardianDeniedAction"({ threadId, event }, { app }) {
    const thread = app.threads.require(threadId);
    thread.refuseReadOnly();
    const id = idIn(event);
    const action = thread.denied.allowRetry(id);
    if (action === undefined)
      throw invalidRequest(`event.id: no automatic review ${id} has denied anything in this thread since it was loaded`);
    // The model must know that it may try again; only the very same action is let through.
    const text = `The user has looked at an action that the automatic review denied and allows it once, exactly as it was: ${action.text}`;
    await thread.note([developerMessage(text)]);
    return {};
  },
};

function idIn(event: unknown): string {
  const fields = typeof event === "object" && event !== null ? event : {};
  const missing = ["id", "status"].find((name) => !(name in fields));
  if (missing !== undefined) throw invalidRequest(`invalid Guardian denial event: missing field \`${missing}\``);
  const wrong = problem(DeniedEvent(), event);
  if (wrong !== undefined) throw invalidRequest(`invalid Guardian denial event: ${wrong}`);
  return (event as { readonly id: string }).id;
}
