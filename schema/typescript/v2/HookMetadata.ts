// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { HookEventName } from "./HookEventName";
import type { HookSource } from "./HookSource";
import type { HookTrustStatus } from "./HookTrustStatus";

export type HookMetadata = ({ currentHash: string, displayOrder: number, enabled: boolean, eventName: HookEventName, isManaged: boolean, key: string, source: HookSource, sourcePath: AbsolutePathBuf, timeoutSec: number, trustStatus: HookTrustStatus, additionalContextLimit?: number | null, environmentId?: string | null, matcher?: string | null, pluginId?: string | null, statusMessage?: string | null }) & ({ command: string, handlerType: "command", async?: boolean } | { handlerType: "mcpTool", server: string, tool: string } | { handlerType: "prompt" } | { handlerType: "agent" });
