/** `request_permissions`: asks the person for more room in the sandbox; offered where the feature is on. */
import path from "node:path";
import { failed, type Tool } from "../core/ports/tool.ts";
import { array, boolean, maybe, named, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";

const Args = named("RequestPermissionsArgs", () =>
  object({
    reason: maybe(string()),
    permissions: object({
      file_system: maybe(object({ read: maybe(array(string())), write: maybe(array(string())) })),
      network: maybe(object({ enabled: maybe(boolean()) })),
    }),
  }),
);

const folders = { type: "array", items: { type: "string" } };

export const requestPermissions: Tool = {
  name: "request_permissions",
  exclusive: true,
  spec: {
    type: "function",
    name: "request_permissions",
    description: "Asks the person to let commands write further folders, or use the network, for this turn or the session.",
    strict: false,
    parameters: parameters(
      {
        reason: { type: "string", description: "One sentence for the person: what it is for." },
        permissions: {
          type: "object",
          properties: {
            file_system: { type: "object", properties: { write: folders }, additionalProperties: false },
            network: { type: "object", properties: { enabled: { type: "boolean" } }, additionalProperties: false },
          },
          additionalProperties: false,
        },
      },
      ["permissions"],
    ),
  },
  plan(call, settings) {
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { permissions, reason } = read.args;
    const write = (permissions.file_system?.write ?? []).map((folder) => path.resolve(settings.cwd, folder));
    const network = permissions.network?.enabled === true;
    if (write.length === 0 && !network) return failed("request_permissions: name folders to write, or the network");
    return { kind: "permissions", write, network, reason: reason ?? undefined };
  },
};
