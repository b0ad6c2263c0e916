/** Requirements for edge cases on the wire: calls in the wrong state, malformed params, failing models. Part of `requirements.ts`. */
export const wireRequirements = {
  "config.values": { source: "observed 0.166", says: "each value that a setting takes is read back as it was written" },
  "config.requirementValues": {
    source: "schema 0.166",
    says: "each value that an administrator's requirements can have is shown under the wire's names, at every depth",
  },
  "config.layerValues": {
    source: "schema 0.166",
    says: "hooks, skills and settings say which layer they come from: the machine's, the command line's, the older managed file",
  },
  "provider.itemValues": {
    source: "schema 0.166",
    says: "each kind of item that a provider sends reaches clients that asked for raw items; attached sound is not dropped without a word",
  },
  "thread.storedValues": {
    source: "schema 0.166",
    says: "each kind of item and state that Codex stores is read back from its files",
  },
  "thread.storedSources": { source: "schema 0.98, 0.166", says: "what started a stored thread is told to current and older clients" },
  "questions.values": {
    source: "schema 0.166",
    says: "forms of MCP servers, questionnaires and results of client tools have every type that the schema names",
  },
  "fuzzyFileSearch.folders": { source: "schema 0.166", says: "a folder that matches is found as a folder" },
  "autoReview.values": {
    source: "schema 0.166",
    says: "a review says whether a patch, a tool of an MCP server or a permission was reviewed, and every risk and authorization",
  },
  "account.values": { source: "schema 0.166", says: "each plan and each kind of account that can be here is told by its name" },
  "plugin.offerValues": { source: "schema 0.166", says: "a plugin's source and policies are told as its marketplace has them" },
  "thread.unsubscribed": { source: "observed 0.166", says: "leaving a thread that is not watched, or not loaded, is said" },
  "command.errorStreams": { source: "observed 0.166", says: "streamed output says that it comes from stderr" },
  "command.actions": { source: "observed 0.98, 0.166", says: "commands that read, search and list are told as that, to older clients too" },
  "git.kindsOfChanges": { source: "Parley", says: "deleted, renamed and retyped files are told as such" },
  "wire.nothingDropped": {
    source: "Parley",
    says: "a param that fits the schema is read by its handler, or the request is refused, or a warning says that it has no effect",
  },
  "errors.order": {
    source: "observed 0.98, 0.166",
    says: "a field of the wrong type is named before one that is missing, and the thread's id before all others",
  },
  "turn.contextOnce": {
    source: "observed 0.166",
    says: "what a client tells of its own with each turn is read by the model when it is new or has changed",
  },
  "turn.usualTier": {
    source: "observed 0.166",
    says: "the service tier null is the usual one: it takes the place of another and is not sent to the provider",
  },
  "turn.questionBeside": {
    source: "observed 0.166",
    says: "a question of the model is said to block the work in plan mode alone",
  },
  "thread.noMachine": {
    source: "observed 0.166",
    says: "a thread without a machine reads no instructions of its folder, and a machine's folder must be absolute and of a sane length",
  },
  "thread.runningAsIs": {
    source: "observed 0.166",
    says: "a thread that is open is not resumed with another history or from another file",
  },
  "thread.usageWithTurns": {
    source: "observed 0.166",
    says: "what a thread has used is told to those who resume or fork it with its turns",
  },
  "thread.historyShown": {
    source: "observed 0.166",
    says: "a thread that is resumed from a client's history is listed by what was said first in it",
  },
  "thread.gitCleared": {
    source: "observed 0.166",
    says: "git facts of a thread can be cleared, and an update that names none of them is refused",
  },
  "thread.archived": {
    source: "observed 0.98, 0.166",
    says: "an archived thread is not resumed, forked or led on until it is brought back, and is read all the same",
  },
  "thread.statusTold": {
    source: "observed 0.166",
    says: "a thread that is put away or opened again says so, and one whose turn failed is broken until the next",
  },
  "thread.modelKept": { source: "observed 0.166", says: "a thread that is not loaded tells the model and effort it was last used with" },
  "thread.metadataKept": {
    source: "observed 0.166",
    says: "metadata can be told of a thread without turns, shows at once and outlives the archive",
  },
  "thread.forkOnePoint": { source: "observed 0.166", says: "a fork ends at a turn or before one, not both" },
  "thread.unknownProvider": { source: "observed 0.98, 0.166", says: "a provider that is not configured is refused when it is asked for" },
  "thread.loadedPages": {
    source: "observed 0.98, 0.166",
    says: "loaded threads come in pages of at least one, and a strange cursor is refused",
  },
  "thread.turnsPages": {
    source: "observed 0.166",
    says: "turns come in pages of at least one; the cursor that leads back begins with its own turn",
  },
  "dynamicTool.names": {
    source: "observed 0.98, 0.166",
    says: "dynamic tools whose names are empty, ill-formed, reserved or given twice are refused with the thread",
  },
  "dynamicTool.unwatched": { source: "observed 0.166", says: "a call of a dynamic tool is not shown as waiting for the user" },
  "thread.wholePolicy": {
    source: "observed 0.166",
    says: "a sandbox policy is told back with every field; what was left out is the stricter choice",
  },
  "mcp.resourceItems": {
    source: "observed 0.98, 0.166",
    says: "reading and listing resources are items of the turn, and tell the model which server they are from",
  },
  "turn.retryBegun": {
    source: "observed 0.98, 0.166",
    says: "a server's error inside a stream, or one that its own attempts did not help, is tried again as a broken stream is",
  },
  "command.execSpoken": {
    source: "observed 0.166",
    says: "what cannot be typed into a running command, or resized, is refused with the reason",
  },
  "turn.replaced": {
    source: "observed 0.98, 0.166",
    says: "a compaction, a review or a revert that is asked for while a turn runs interrupts it and takes its place",
  },
  "turn.goesOn": {
    source: "observed 0.166",
    says: "a model that has not ended its turn is asked again, also when it called no tool; an empty answer ends it all the same",
  },
  "thread.instructionSources": {
    source: "observed 0.166",
    says: "start, resume and fork name the AGENTS.md files that the thread is led by",
  },
  "thread.settingsSame": { source: "observed 0.166", says: "a change that changes nothing is not announced" },
  "thread.searchTerm": { source: "observed 0.166", says: "a search for nothing is refused" },
  "thread.wholeFields": {
    source: "observed 0.166",
    says: "a thread is told with every field that strict clients look for, loaded or stored",
  },
  "turn.planLines": {
    source: "observed 0.98, 0.166",
    says: "in Plan mode the lines between the marks are one plan item, named after the turn and ended before its message, and the marks are in neither",
  },
} as const;
