/** How commands are sandboxed on the server's machine, which Codex does not report. Implemented in server/sandbox.ts. */
import { type Infer, literals, maybe, named, object, string } from "../lib/schema.ts";
import { Empty, request } from "./define.ts";

export const SandboxReadResponse = named("SandboxReadResponse", () =>
  object({
    engine: literals("bubblewrap", "namespaces", "landlock", "seatbelt", "none"),
    standing: literals("full", "weaker", "refused"),
    line: string(),
    fix: maybe(string()),
  }),
);
export type SandboxReadResponse = Infer<typeof SandboxReadResponse>;

export const sandboxRequests = {
  /** Returns which sandbox is used for commands on the server's machine: a one-line description with its limitations, whether it is weaker than the best one, and how to fix that. */
  "sandbox/read": request({ params: Empty, result: SandboxReadResponse, experimental: true, own: true }),
};
