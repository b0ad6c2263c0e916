/** Finding files by a few letters of their path. Implemented in server/fuzzy-file-search.ts. */
import { array, type Infer, literals, maybe, named, natural, object, string } from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { limitPath } from "./limits.ts";

export const FuzzyFileSearchParams = named("FuzzyFileSearchParams", () =>
  object({ query: string(), roots: array(string()), cancellationToken: maybe(string()) }),
);
export type FuzzyFileSearchParams = Infer<typeof FuzzyFileSearchParams>;

export const FuzzyFileSearchResponse = named("FuzzyFileSearchResponse", () => object({ files: array(FuzzyFileSearchResult()) }));
export type FuzzyFileSearchResponse = Infer<typeof FuzzyFileSearchResponse>;

export const FuzzyFileSearchSessionStartParams = named("FuzzyFileSearchSessionStartParams", () =>
  object({ roots: array(string()), sessionId: string() }),
);
export type FuzzyFileSearchSessionStartParams = Infer<typeof FuzzyFileSearchSessionStartParams>;

export const FuzzyFileSearchSessionStartResponse = named("FuzzyFileSearchSessionStartResponse", () => object({}));
export type FuzzyFileSearchSessionStartResponse = Infer<typeof FuzzyFileSearchSessionStartResponse>;

export const FuzzyFileSearchSessionUpdateParams = named("FuzzyFileSearchSessionUpdateParams", () =>
  object({ query: string(), sessionId: string() }),
);
export type FuzzyFileSearchSessionUpdateParams = Infer<typeof FuzzyFileSearchSessionUpdateParams>;

export const FuzzyFileSearchSessionUpdateResponse = named("FuzzyFileSearchSessionUpdateResponse", () => object({}));
export type FuzzyFileSearchSessionUpdateResponse = Infer<typeof FuzzyFileSearchSessionUpdateResponse>;

export const FuzzyFileSearchSessionStopParams = named("FuzzyFileSearchSessionStopParams", () => object({ sessionId: string() }));
export type FuzzyFileSearchSessionStopParams = Infer<typeof FuzzyFileSearchSessionStopParams>;

export const FuzzyFileSearchSessionStopResponse = named("FuzzyFileSearchSessionStopResponse", () => object({}));
export type FuzzyFileSearchSessionStopResponse = Infer<typeof FuzzyFileSearchSessionStopResponse>;

export const FuzzyFileSearchSessionUpdatedNotification = named("FuzzyFileSearchSessionUpdatedNotification", () =>
  object({ files: array(FuzzyFileSearchResult()), query: string(), sessionId: string() }),
);
export type FuzzyFileSearchSessionUpdatedNotification = Infer<typeof FuzzyFileSearchSessionUpdatedNotification>;

export const FuzzyFileSearchSessionCompletedNotification = named("FuzzyFileSearchSessionCompletedNotification", () =>
  object({ sessionId: string() }),
);
export type FuzzyFileSearchSessionCompletedNotification = Infer<typeof FuzzyFileSearchSessionCompletedNotification>;

export const FuzzyFileSearchResult = named("FuzzyFileSearchResult", () =>
  object({
    file_name: string(),
    match_type: FuzzyFileSearchMatchType(),
    path: string(),
    root: string(),
    score: natural(),
    indices: maybe(array(natural())),
  }),
);
export type FuzzyFileSearchResult = Infer<typeof FuzzyFileSearchResult>;

export const FuzzyFileSearchMatchType = named("FuzzyFileSearchMatchType", () => literals("file", "directory"));
export type FuzzyFileSearchMatchType = Infer<typeof FuzzyFileSearchMatchType>;

const bySearch = ({ sessionId }: { sessionId: string }): string => `search:${sessionId}`;
const limitRoots = ({ roots }: { roots: readonly string[] }): void => {
  for (const root of roots) limitPath("roots", root);
};

export const fuzzyFileSearchRequests = {
  /** Searches once; a newer search with the same cancellation token cancels it. */
  fuzzyFileSearch: request({ params: FuzzyFileSearchParams, result: FuzzyFileSearchResponse, limits: limitRoots }),
  /** Opens a search whose query changes while the user types. */
  "fuzzyFileSearch/sessionStart": request({
    params: FuzzyFileSearchSessionStartParams,
    result: FuzzyFileSearchSessionStartResponse,
    order: bySearch,
    limits: limitRoots,
    experimental: true,
  }),
  /** Changes the query of an open search. */
  "fuzzyFileSearch/sessionUpdate": request({
    params: FuzzyFileSearchSessionUpdateParams,
    result: FuzzyFileSearchSessionUpdateResponse,
    order: bySearch,
    experimental: true,
  }),
  /** Closes a search. */
  "fuzzyFileSearch/sessionStop": request({
    params: FuzzyFileSearchSessionStopParams,
    result: FuzzyFileSearchSessionStopResponse,
    order: bySearch,
    experimental: true,
  }),
};

export const fuzzyFileSearchNotifications = {
  /** The results of an open search so far. */
  "fuzzyFileSearch/sessionUpdated": notification(FuzzyFileSearchSessionUpdatedNotification),
  /** An open search has finished. */
  "fuzzyFileSearch/sessionCompleted": notification(FuzzyFileSearchSessionCompletedNotification),
};
