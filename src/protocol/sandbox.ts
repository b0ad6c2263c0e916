/** What confines commands on the server's machine, which no Codex says. Mirrored by server/sandbox.ts. */
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
  /** Which sandbox confines commands on the server's machine: one line for people with what it cannot do, whether it is weaker than the best one, and what would mend that. */
  "sandbox/read": request({ params: Empty, result: SandboxReadResponse, experimental: true, own: true }),
};
