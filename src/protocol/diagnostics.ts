/** Figures of the running server, and calls that clients make to test or maintain it. Implemented in server/diagnostics.ts. */
import { array, boolean, type Infer, integer, maybe, named, natural, object, optional, record, string } from "../lib/schema.ts";
import { byThread, Empty, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { LegacyAppPathString } from "./item.ts";
import { limitPath } from "./limits.ts";

export const ServerDiagnosticsParams = named("ServerDiagnosticsParams", () => object({}));
export type ServerDiagnosticsParams = Infer<typeof ServerDiagnosticsParams>;

export const ServerDiagnosticsResponse = named("ServerDiagnosticsResponse", () =>
  object({ gauges: array(ServerDiagnosticsGauge()), process: ServerDiagnosticsProcess() }),
);
export type ServerDiagnosticsResponse = Infer<typeof ServerDiagnosticsResponse>;

export const ServerDiagnosticsGauge = named("ServerDiagnosticsGauge", () => object({ name: string(), value: natural() }));
export type ServerDiagnosticsGauge = Infer<typeof ServerDiagnosticsGauge>;

export const ServerDiagnosticsProcess = named("ServerDiagnosticsProcess", () =>
  object({ id: natural(), physicalFootprintBytes: maybe(natural()), residentMemoryBytes: maybe(natural()) }),
);
export type ServerDiagnosticsProcess = Infer<typeof ServerDiagnosticsProcess>;

export const RolloutCompressResponse = named("RolloutCompressResponse", () => object({}));
export type RolloutCompressResponse = Infer<typeof RolloutCompressResponse>;

export const MockExperimentalMethodParams = named("MockExperimentalMethodParams", () => object({ value: maybe(string()) }));
export type MockExperimentalMethodParams = Infer<typeof MockExperimentalMethodParams>;

export const MockExperimentalMethodResponse = named("MockExperimentalMethodResponse", () => object({ echoed: maybe(string()) }));
export type MockExperimentalMethodResponse = Infer<typeof MockExperimentalMethodResponse>;

export const ThreadIncrementElicitationParams = named("ThreadIncrementElicitationParams", () => object({ threadId: string() }));
export type ThreadIncrementElicitationParams = Infer<typeof ThreadIncrementElicitationParams>;

export const ThreadIncrementElicitationResponse = named("ThreadIncrementElicitationResponse", () =>
  object({ count: integer(), paused: boolean() }),
);
export type ThreadIncrementElicitationResponse = Infer<typeof ThreadIncrementElicitationResponse>;

export const ThreadDecrementElicitationParams = named("ThreadDecrementElicitationParams", () => object({ threadId: string() }));
export type ThreadDecrementElicitationParams = Infer<typeof ThreadDecrementElicitationParams>;

export const ThreadDecrementElicitationResponse = named("ThreadDecrementElicitationResponse", () =>
  object({ count: integer(), paused: boolean() }),
);
export type ThreadDecrementElicitationResponse = Infer<typeof ThreadDecrementElicitationResponse>;

export const FeedbackSaveParams = named("FeedbackSaveParams", () =>
  object({
    classification: string(),
    extraLogFiles: maybe(array(string())),
    includeLogs: optional(boolean()),
    reason: maybe(string()),
    savePath: LegacyAppPathString(),
    tags: maybe(record(string())),
    threadId: maybe(string()),
  }),
);
export type FeedbackSaveParams = Infer<typeof FeedbackSaveParams>;

export const FeedbackSaveResponse = named("FeedbackSaveResponse", () =>
  object({ promptHash: maybe(string()), savedPath: LegacyAppPathString(), threadId: string() }),
);
export type FeedbackSaveResponse = Infer<typeof FeedbackSaveResponse>;

export const diagnosticsRequests = {
  /** Memory and counts of this server. */
  "server/diagnostics": request({ params: ServerDiagnosticsParams, result: ServerDiagnosticsResponse, experimental: true }),
  /** Compresses the files of old threads; files here stay plain, so nothing is done. */
  "rollout/compress": request({ params: Empty, result: RolloutCompressResponse, experimental: true }),
  /** Returns its value, for tests of clients. */
  "mock/experimentalMethod": request({ params: MockExperimentalMethodParams, result: MockExperimentalMethodResponse, experimental: true }),
  /** Counts a question that the client shows outside of the protocol. */
  "thread/increment_elicitation": request({
    params: ThreadIncrementElicitationParams,
    result: ThreadIncrementElicitationResponse,
    experimental: true,
    order: byThread,
  }),
  /** Counts such a question as answered. */
  "thread/decrement_elicitation": request({
    params: ThreadDecrementElicitationParams,
    result: ThreadDecrementElicitationResponse,
    experimental: true,
    order: byThread,
  }),
  /** Writes a feedback report to a zip file; nothing is sent. */
  "feedback/save": request({ params: FeedbackSaveParams, result: FeedbackSaveResponse, limits: limitFeedback }),
};

const maxTexts = 100_000;

function limitFeedback({ savePath, reason, tags, extraLogFiles }: FeedbackSaveParams): void {
  limitPath("savePath", savePath);
  if (!/^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(savePath)) throw invalidRequest("feedback savePath must be an absolute host path");
  if (JSON.stringify([reason, tags, extraLogFiles]).length > maxTexts)
    throw invalidRequest(`feedback takes at most ${maxTexts} characters in reason, tags and extraLogFiles`);
}
