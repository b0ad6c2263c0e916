/** `sandbox/read`: how commands are sandboxed here, in the wording of the doctor command. */
import type { sandboxRequests } from "../protocol/sandbox.ts";
import type { HandlersFor } from "./app.ts";

export const sandboxHandlers: HandlersFor<typeof sandboxRequests> = {
  async "sandbox/read"(_, { app }) {
    const { engine, standing, line, fix } = await app.runner.sandbox();
    return { engine, standing, line, fix: fix ?? null };
  },
};
