/** Requirements for the agent loop itself: an hour with a real model on any wire must not end a thread. */
import type { Requirement } from "./requirements.ts";

export const agentRequirements = {
  "agent.picture": {
    source: "Parley",
    says: "a picture counts by its size in pixels: the request after view_image shows it, in a large window and in a small one",
  },
  "agent.longCommand": {
    source: "Parley",
    says: "of a long output the model reads as much as its window allows, and the cut names a private file that its commands can read",
  },
  "agent.longToolResult": {
    source: "Parley",
    says: "results of MCP servers' and clients' tools keep to the limit, and the cut names a file",
  },
  "agent.manyTools": { source: "Parley", says: "a turn with sixty tools in a small window takes no more than a few requests" },
  "agent.overflow": {
    source: "Parley",
    says: "a request that the provider calls too long is recovered from, and the window is remembered",
  },
  "agent.overflowWords": { source: "Parley", says: "words that are longer than the window fail their turn and not the ones after it" },
  "agent.loop": { source: "Parley", says: "the same call with the same result three times in a row is asked about, or ends the turn" },
  "agent.maxRequests": { source: "Parley", says: "a turn that has made max_requests_per_turn requests ends with a word" },
  "agent.compactPrefix": {
    source: "Parley",
    says: "a compaction is the last request and one message more, so that providers find it in their caches",
  },
  "agent.compactCalls": { source: "Parley", says: "a model that answers a compaction with a tool call is asked once more without tools" },
  "agent.compactBeside": {
    source: "Parley",
    says: "a command of the person's own that ends during a compaction is in the history after it",
  },
  "agent.compactRetries": { source: "Parley", says: "a compaction is retried as any request" },
  "agent.compactEmpty": { source: "Parley", says: "an empty summary is asked for once more, and never replaces a history" },
  "agent.compactMidTurn": {
    source: "Parley",
    says: "after a compaction in mid-turn the model's own call and its result come last, and no words make it start over",
  },
  "agent.compactAtProvider": {
    source: "Parley",
    says: "OpenAI compacts a history itself: the last request and compaction_trigger, whose answer takes the history's place, resumed too",
  },
  "agent.compactAtProviderRefused": {
    source: "Parley",
    says: "a provider that refuses compaction_trigger, or answers it with no compaction, is asked for a hand-over in words",
  },
  "agent.compactAtProviderLeft": {
    source: "Parley",
    says: "another provider cannot read what OpenAI compacted, so the thread goes on there with the history as it was before",
  },
  "agent.warmUp": {
    source: "Parley",
    says: "a new thread warms up its websocket, and its first turn sends only what the warm-up did not",
  },
  "agent.repeatedIds": { source: "Parley", says: "a server that gives the same id to every call loses no call, output or item" },
  "agent.emptyAnswer": { source: "Parley", says: "of an answer with nothing in it people are told, and the thread lives" },
  "agent.compactRefused": {
    source: "Parley",
    says: "where a compaction is refused and the window is full, the oldest part is left out with a warning, and the thread lives",
  },
  "agent.tinyWindow": {
    source: "Parley",
    says: "a window smaller than instructions and tools fails the turn after a few requests, and says so",
  },
  "agent.badPicture": {
    source: "Parley",
    says: "a picture that the provider refuses is left out with a warning, and the thread lives, resumed too",
  },
  "agent.badTool": { source: "Parley", says: "a tool that the provider refuses is left out with a warning, and the turn goes on" },
  "agent.cutCall": { source: "Parley", says: "a call that was cut at the output limit goes back to the model, twice in a turn" },
  "agent.fallback": {
    source: "Parley",
    says: "when the model is overloaded the turn goes on with parley.fallback_model, and the person is told",
  },
  "agent.clearResults": {
    source: "Parley",
    says: "old tool results are cleared before a compaction is needed, at one cut that stays, resumed too",
  },
  "agent.tourForPeople": {
    source: "Parley",
    says: "without a model the offline tour answers clients that a person reads, and who asks for it; a program's turn fails and says what to set",
  },
  "agent.missingKey": { source: "Parley", says: "a provider whose env_key is not set fails the turn and names the variable" },
  "review.settings": { source: "Parley", says: "settings that are changed during a review hold, in it as after it" },
  "review.private": { source: "Parley", says: "what a reviewer reads and calls is in no history of the thread, live or resumed" },
  "review.shellBeside": { source: "Parley", says: "the person's own command during a review is in the thread's history afterwards" },
  "review.context": {
    source: "Parley",
    says: "a reviewer knows AGENTS.md, folder and sandbox, is offered commands alone and writes nothing",
  },
  "review.compacts": { source: "Parley", says: "a review that fills its window is compacted and ends with findings" },
} as const satisfies Record<string, Requirement>;
