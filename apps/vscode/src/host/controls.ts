/** What a person chose for a session in this editor: where it starts from, and how it is kept over restarts. */
import { literals, maybe, nullable, object, once, optional, parse, string } from "../../../../src/lib/schema.ts";
import { type Controls, startControls } from "../../../../src/sessions/controls.ts";
import { WorkMode } from "../../../../src/sessions/records.ts";

/** An editor's sessions may write into their folder unless somebody says otherwise. */
export const editorControls = { ...startControls, filesystemSandbox: "workspace-write" as const };

/** What was kept of an earlier choice, where it is one. */
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
