/** The machine on which threads work, which is this one. Implemented in server/environments.ts. */
import { type Infer, literals, maybe, named, object, string } from "../lib/schema.ts";
import { request } from "./define.ts";

export const EnvironmentStatusParams = named("EnvironmentStatusParams", () => object({ environmentId: string() }));
export type EnvironmentStatusParams = Infer<typeof EnvironmentStatusParams>;

export const EnvironmentStatusResponse = named("EnvironmentStatusResponse", () =>
  object({ error: maybe(string()), status: EnvironmentStatusKind() }),
);
export type EnvironmentStatusResponse = Infer<typeof EnvironmentStatusResponse>;

export const EnvironmentStatusKind = named("EnvironmentStatusKind", () => literals("ready", "pending", "disconnected", "unknown"));
export type EnvironmentStatusKind = Infer<typeof EnvironmentStatusKind>;

export const EnvironmentInfoParams = named("EnvironmentInfoParams", () => object({ environmentId: string() }));
export type EnvironmentInfoParams = Infer<typeof EnvironmentInfoParams>;

export const EnvironmentInfoResponse = named("EnvironmentInfoResponse", () =>
  object({ cwd: maybe(PathUri()), shell: EnvironmentShellInfo() }),
);
export type EnvironmentInfoResponse = Infer<typeof EnvironmentInfoResponse>;

export const PathUri = named("PathUri", () => string());
export type PathUri = Infer<typeof PathUri>;

export const EnvironmentShellInfo = named("EnvironmentShellInfo", () => object({ name: string(), path: string() }));
export type EnvironmentShellInfo = Infer<typeof EnvironmentShellInfo>;

export const environmentRequests = {
  /** Whether an environment can be used. */
  "environment/status": request({ params: EnvironmentStatusParams, result: EnvironmentStatusResponse, experimental: true }),
  /** The shell and the working directory of an environment. */
  "environment/info": request({ params: EnvironmentInfoParams, result: EnvironmentInfoResponse, experimental: true }),
};
