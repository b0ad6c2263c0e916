/** `environment/*`, and `environments` of thread/start and turn/start: the machine and folder in which a thread works. This server has one machine. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { SettingsChange } from "../core/settings/settings.ts";
import type { environmentRequests } from "../protocol/environment.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { TurnEnvironmentParams } from "../protocol/thread-environment.ts";
import type { HandlersFor } from "./app.ts";

export const environmentHandlers: HandlersFor<typeof environmentRequests> = {
  "environment/status"({ environmentId }) {
    return environmentId === local ? { status: "ready" } : { status: "unknown", error: unknownEnvironment(environmentId) };
  },
  "environment/info"({ environmentId }, { app }) {
    if (environmentId !== local) throw invalidRequest(unknownEnvironment(environmentId));
    return { shell: { ...app.shell() }, cwd: pathToFileURL(process.cwd()).href };
  },
};

const local = "local";
const unknownEnvironment = (id: string): string => `unknown environment id \`${id}\``;

/** If absent, nothing changes; an empty list removes the machine. Throws invalidRequest for unknown machines. */
export function environmentChange(
  environments: readonly TurnEnvironmentParams[] | null | undefined,
): Pick<SettingsChange, "cwd" | "runtimeWorkspaceRoots" | "hasMachine"> {
  if (environments === undefined || environments === null) return {};
  for (const environment of environments) check(environment);
  const [only, another] = environments;
  if (another !== undefined) throw invalidRequest(`duplicate turn environment id \`${local}\``);
  if (only === undefined) return { hasMachine: false };
  const roots = only.runtimeWorkspaceRoots ?? undefined;
  return {
    cwd: only.cwd,
    hasMachine: true,
    ...(roots === undefined ? {} : { runtimeWorkspaceRoots: roots.map((root) => path.resolve(root)) }),
  };
}

/** Longer than any system allows. */
const maxPathLength = 8192;

function check({ environmentId, cwd }: TurnEnvironmentParams): void {
  if (environmentId !== local) throw invalidRequest(`unknown turn environment id \`${environmentId}\``);
  if (cwd.length > maxPathLength) throw invalidRequest("turn environment working directory exceeds the maximum size");
  if (!path.isAbsolute(cwd))
    throw invalidRequest(
      `invalid cwd for environment \`${environmentId}\`: path \`${cwd}\` does not use absolute POSIX or Windows path syntax`,
    );
}
