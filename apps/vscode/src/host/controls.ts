/** A user's choices for a session in this editor: the defaults, and how they are stored across restarts. */
import { literals, maybe, nullable, object, once, optional, parse, string } from "../../../../src/lib/schema.ts";
import { type Controls, startControls } from "../../../../src/sessions/controls.ts";
import { WorkMode } from "../../../../src/sessions/records.ts";

/** By default an editor's sessions may write to their folder. */
export const editorControls = { ...startControls, filesystemSandbox: "workspace-write" as const };

/** Reads a stored choice, if it is valid. */
export function keptControls(value: unknown): Controls | undefined {
  return parse(KeptControls, value);
}
const KeptControls = once(() =>
  object({
    model: nullable(string()),
    effort: maybe(string()),
    approvalPolicy: literals("untrusted", "on-failure", "on-request", "never"),
    networkAccess: literals("restricted", "enabled"),
    filesystemSandbox: literals("read-only", "workspace-write", "danger-full-access"),
    mode: optional(WorkMode()),
  }),
);
