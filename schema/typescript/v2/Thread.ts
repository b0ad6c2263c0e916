// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { GitInfo } from "./GitInfo";
import type { SessionSource } from "./SessionSource";
import type { ThreadEnvironment } from "./ThreadEnvironment";
import type { ThreadExtra } from "./ThreadExtra";
import type { ThreadHistoryMode } from "./ThreadHistoryMode";
import type { ThreadSection } from "./ThreadSection";
import type { ThreadSource } from "./ThreadSource";
import type { ThreadStatus } from "./ThreadStatus";
import type { Turn } from "./Turn";

export type Thread = { cliVersion: string, createdAt: number, cwd: AbsolutePathBuf, ephemeral: boolean, id: string, modelProvider: string, preview: string, projectId: string | null, sessionId: string, source: SessionSource, status: ThreadStatus, turns: Array<Turn>, updatedAt: number, agentNickname?: string | null, agentRole?: string | null, canAcceptDirectInput?: boolean | null, daybreakEnabled?: boolean | null, environments?: Array<ThreadEnvironment> | null, extra?: ThreadExtra | null, forkedFromId?: string | null, gitInfo?: GitInfo | null, historyMode?: ThreadHistoryMode, model?: string | null, name?: string | null, originator?: string | null, parentThreadId?: string | null, path?: string | null, reasoningEffort?: ReasoningEffort | null, recencyAt?: number | null, section?: ThreadSection | null, sectionEnteredAt?: number | null, threadSource?: ThreadSource | null };
