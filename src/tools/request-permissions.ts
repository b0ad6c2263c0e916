/** `request_permissions`: asks the person for more sandbox permissions; offered where the feature is enabled. */
import path from "node:path";
import { failed } from "../core/ports/tool.ts";
import { array, boolean, described, maybe, named, object, string } from "../lib/schema.ts";
import { functionTool } from "./define.ts";

const Args = named("RequestPermissionsArgs", () =>
  object({
    reason: maybe(described(string(), "One sentence for the person: what it is for.")),
    permissions: object({
      file_system: maybe(object({ write: maybe(array(string())) })),
      network: maybe(object({ enabled: maybe(boolean()) })),
    }),
  }),
);

export const requestPermissions = functionTool({
  name: "request_permissions",
  description: "Asks the person to let commands write further folders, or use the network, for this turn or the session.",
  args: Args,
  exclusive: true,
  plan({ permissions, reason }, settings) {
    const write = (permissions.file_system?.write ?? []).map((folder) => path.resolve(settings.cwd, folder));
    const network = permissions.network?.enabled === true;
    if (write.length === 0 && !network) return failed("request_permissions: name folders to write, or the network");
    return { kind: "permissions", write, network, reason: reason ?? undefined };
  },
});
