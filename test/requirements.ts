/** Every required behaviour, each with its source. A scenario cites the id; a requirement without a scenario fails `requirements.test.ts`. */
import { actingRequirements } from "./requirements-acting.ts";
import { agentRequirements } from "./requirements-agent.ts";
import { doorRequirements } from "./requirements-doors.ts";
import { listRequirements } from "./requirements-lists.ts";
import { pluginRequirements } from "./requirements-plugin.ts";
import { trustRequirements } from "./requirements-trust.ts";
import { wireRequirements } from "./requirements-wire.ts";

export interface Requirement {
  /** The source of the requirement: a protocol document, the observed behaviour of the real servers, or ourselves. */
  readonly source: string;
  readonly says: string;
  /** Numbers of the security cases of docs/security.md that it covers. */
  readonly cases?: readonly number[];
  /** Why it is not met yet. The scenario must then fail; once it passes, this entry must be removed. */
  readonly knownFailure?: string;
}

export const requirements = {
  ...actingRequirements,
  ...agentRequirements,
  ...doorRequirements,
  ...listRequirements,
  ...pluginRequirements,
  ...trustRequirements,
  ...wireRequirements,

  "handshake.first": {
    source: "app-server README, Initialization",
    cases: [4],
    says: "a known method before initialize is refused with Not initialized",
  },
  "handshake.unknownFirst": { source: "observed 0.92, 0.166", says: "an unknown method is told apart even before initialize" },
  "handshake.answer": { source: "observed 0.92, 0.166", says: "initialize answers with the user agent, the home and the platform" },
  "handshake.clientInfo": { source: "observed 0.92, 0.166", says: "initialize without clientInfo names the missing field" },
  "handshake.once": {
    source: "app-server README, Initialization",
    cases: [5],
    says: "a second initialize is refused with Already initialized",
  },
  "handshake.initializedOptional": {
    source: "observed 0.92, 0.166",
    says: "requests are served right after initialize, with or without initialized",
  },
  "handshake.each": { source: "app-server README, Initialization", says: "each connection shakes hands on its own" },
  "handshake.optOut": { source: "observed 0.99, 0.166", says: "notifications that a client opted out of reach others only" },
  "handshake.dialect": { source: "Parley", says: "capabilities.extensions.parley.dialect is checked" },
  "handshake.cleanName": {
    source: "observed 0.166",
    cases: [31],
    says: "a client's name with control characters is refused, and no other that is odd reaches the user agent as it is",
  },
  "handshake.generation": {
    source: "observed 0.166",
    says: "the user agent names today's version to clients that ask for the experimental API, and no program that only looks whether a server is there",
  },

  "errors.unknownMethod": {
    source: "observed 0.92, 0.166",
    cases: [6],
    says: "an unknown method is -32600 and lists the known ones, whatever it is called",
  },
  "errors.wrongType": { source: "observed 0.92, 0.166", cases: [7, 8], says: "params of the wrong type are -32600 with the reason" },
  "errors.missingParams": { source: "app-server README, examples", cases: [7], says: "missing and null params count as an empty object" },
  "errors.experimental": { source: "observed 0.98, 0.166", says: "experimental methods need the experimentalApi capability" },

  "messages.unreadable": {
    source: "observed 0.92, 0.166",
    cases: [1, 2, 3],
    says: "lines that are no message are ignored and the connection goes on",
  },
  "messages.exactIds": {
    source: "observed 0.92, 0.166",
    cases: [10, 11],
    says: "ids come back as they were: 0, negative, strings, beyond 2^53 digit for digit",
  },
  "messages.noId": { source: "observed 0.92, 0.166", cases: [9], says: "null, a fraction or a boolean as id makes a notification" },
  "messages.sameId": { source: "Parley", cases: [12], says: "two requests with one id get two answers" },
  "messages.strayAnswers": { source: "observed 0.92, 0.166", cases: [13], says: "answers to questions that were never asked are ignored" },
  "messages.keyOrder": { source: "observed 0.92, 0.166", says: "results are written id first, errors error first, without jsonrpc" },
  "messages.deep": { source: "Parley", cases: [17, 18], says: "200,000 nested arrays and __proto__ keys do no harm" },
  "messages.burst": { source: "Parley", cases: [24], says: "20,000 requests in one burst get 20,000 answers" },

  "order.answerFirst": { source: "Parley", says: "the answer to a request comes before the notifications that it causes" },
  "order.item": { source: "app-server README, Items", says: "an item is started, then its deltas come, then it is completed" },
  "order.turn": { source: "app-server README, Turns", says: "turn/started is the first and turn/completed the last of a turn" },
  "order.stored": {
    source: "Parley",
    cases: [34],
    says: "an item is in the store before item/completed leaves",
  },
  "order.textFirst": {
    source: "Parley",
    says: "text that comes in one piece with the end of its answer is sent before what that end takes to work on",
  },
  "order.sameThread": { source: "Parley", says: "requests that change one thread run in the order they came" },

  "config.layers": {
    source: "app-server README; observed 0.92, 0.166",
    says: "config/read gives values, origins, and layers with versions on demand",
  },
  "config.write": {
    source: "observed 0.92, 0.166",
    says: "config writes keep comments, refuse stale versions and bad values with a code, and take effect at once",
  },
  "config.broken": {
    source: "trust C13",
    cases: [178],
    says: "a broken config.toml refuses threads with the file and key, and can be mended by a write",
  },
  "config.warning": { source: "observed 0.166", says: "unknown keys and a project's disabled settings are told by configWarning" },
  "config.untrusted": {
    source: "trust C05, C15",
    cases: [170, 173, 180, 181],
    says: "nothing of a folder counts before the user trusts it, and trusting it is one write",
  },
  "config.requirements": { source: "observed 0.92, 0.166", says: "without requirements.toml the answer is null" },
  "config.required": {
    source: "observed 0.166",
    says: "what requirements.toml does not allow is refused with the field and what is allowed, on every way to ask for it",
  },
  "config.live": {
    source: "Parley",
    says: "a changed setting reaches a running thread with its next turn, unless the thread was given its own",
  },
  "config.features": { source: "observed 0.166", says: "experimentalFeature/list pages, and enablement/set takes over known names only" },
  "config.budget": { source: "Parley", says: "a spent budget asks before the next model call, and a no ends the turn" },
  "skills.list": { source: "app-server README, Skills", says: "skills/list gives skills and broken files for each cwd" },
  "skills.inject": { source: "app-server README, Skills", says: "a skill item and a $name put the instructions before the model" },
  "skills.untrusted": {
    source: "Parley",
    cases: [183],
    says: "a project's skills are listed as repo and kept from the model until it is trusted",
  },
  "skills.changed": { source: "observed 0.166", says: "skills/changed follows a switch and an edit on disk" },
  "account.apiKey": {
    source: "app-server README, Auth endpoints",
    says: "an API key signs in and out, with login/completed before account/updated",
  },
  "account.provider": {
    source: "Parley",
    says: "every provider is listed and can be set up with a key that is tried before it is kept, and forgotten again",
  },
  "account.none": { source: "observed 0.166", says: "on an empty home clients are told that a sign-in to OpenAI is needed" },
  "account.cancel": { source: "app-server README, Auth endpoints", says: "a browser sign-in can be cancelled by its id" },
  "account.tokens": { source: "observed 0.166", says: "a client that brought its own tokens is asked for fresh ones" },
  "account.limits": { source: "observed 0.92, 0.166", says: "rate limits without an account are refused in the words that clients know" },
  "account.breakdown": {
    source: "Parley",
    says: "account/usage/breakdown splits tokens and money by day, folder and model, with the budget and what is used of it today",
  },
  "account.usage": { source: "Parley", says: "account/usage/read counts the tokens of all threads by day" },
  "account.feedback": { source: "Parley", says: "feedback/upload keeps the report on this machine" },
  "catalogue.closedEfforts": {
    source: "Observed: the terminal of Codex 0.125 ends at an effort that it does not know",
    says: "Codex's older clients are told only the efforts that they have words for",
  },
  "catalogue.models": {
    source: "app-server README; observed 0.92, 0.166",
    says: "model/list pages, has one default and refuses a bad cursor",
  },
  "catalogue.modes": { source: "observed 0.166", says: "collaboration modes are Plan and Default, and there are no apps or plugins" },
  "approval.answeredBy": {
    source: "Parley",
    cases: [160],
    says: "when one client answers, the others are told that it is settled and by whom; the one who answered hears no name",
  },

  "patch.item": {
    source: "app-server README, Items; observed 0.98, 0.166",
    says: "a patch is a fileChange item with path, kind and diff of each file, and is applied after the yes",
  },
  "patch.diff": { source: "app-server README, Events", says: "turn/diff/updated holds one diff over all patches of the turn" },
  "patch.declined": { source: "app-server README, Approvals", says: "a declined patch writes nothing and the model is told" },
  "patch.unfit": { source: "observed 0.98, 0.166", says: "a patch that does not fit gives no item, only its reason to the model" },
  "patch.edited": { source: "Parley", cases: [127], says: "a file that its user edits while the approval waits keeps the user's edit" },
  "patch.swapped": { source: "Parley", cases: [126], says: "a folder swapped for a link while the approval waits is not written through" },
  "patch.preview": {
    source: "observed 0.166",
    says: "with features.apply_patch_streaming_events a patch is shown while it is written",
  },
  "patch.hereDocument": {
    source: "observed 0.98, 0.166",
    cases: [131],
    says: "a shell command that is only a patch becomes a file change, taken literally",
  },
  "revert.commands": {
    source: "Parley",
    says: "files that a command changed are taken back with the turn, in a workspace that can be remembered",
  },
  "revert.repository": {
    source: "Parley",
    says: "in a large git repository what commands changed is taken back too: from git's objects, and from what was kept of the rest",
  },
  "revert.read": {
    source: "Parley",
    says: "turn/files/read gives the files that patches and commands of a turn changed, as they were before",
  },
  "revert.uncovered": {
    source: "Parley",
    says: "a command that runs in a workspace too large for a snapshot is announced to clients as one that undo does not cover, once for each thread",
  },
  "revert.files": { source: "Parley", says: "turn/revert puts back every file that the turn's patches changed" },
  "revert.restart": { source: "Parley", says: "turn/revert works after a restart, also for a thread that is not loaded" },
  "revert.conflict": { source: "Parley", says: "a file changed since the turn is a conflict: nothing is touched unless forced" },
  "revert.refused": { source: "Parley", says: "turn/revert needs experimentalApi and a turn that changed files" },
  "revert.check": { source: "Parley", says: "turn/revert/check names the files and the conflicts before anything is touched" },

  "git.review": {
    source: "Parley",
    says: "git/diff shows changes that can be staged, unstaged and reverted one by one, and a revert can be undone",
  },
  "git.patch": { source: "Parley", says: "patch/revert takes back shown lines exactly, inside its folder, and can be undone" },
  "git.commit": { source: "Parley", says: "git/commit, git/push and pull requests act on the repository of a folder, or say why not" },
  "git.worktree": { source: "Parley", says: "a worktree is made, merged back with conflicts named before, or removed" },

  "sandbox.read": {
    source: "Parley",
    says: "sandbox/read names the sandbox that confines commands on the server's machine",
  },
  "sandbox.weaker": {
    source: "Parley",
    says: "where the sandbox is weaker, sandbox/read says what it cannot do and what would strengthen it",
  },
  "sandbox.asksFirst": {
    source: "Parley",
    says: "where the sandbox cannot protect names in writable folders, a command that may write asks first and says why",
  },
  "sandbox.asksNobody": {
    source: "Parley",
    says: "where the sandbox cannot protect names and nobody may be asked, a command that may write is refused with the reason",
  },
  "sandbox.execOpenNames": {
    source: "Parley",
    says: "command/exec runs nothing that a turn would ask about first: it is refused with the ways to go on",
  },
  "sandbox.gated": { source: "Parley", says: "sandbox/read needs experimentalApi" },

  "fs.files": { source: "observed 0.166", says: "fs methods read, write, list, copy and remove, with the system's words for failures" },
  "fs.watch": { source: "observed 0.166", says: "fs/changed goes to the connection that watches, and names what changed" },
  "search.session": { source: "observed 0.166", says: "fuzzy search finds scattered letters with score and places, once and in a session" },

  "approval.parsedCmd": {
    source: "editor document, Approvals",
    says: "parsedCmd is the program with its arguments, not the shell around it",
  },
  "config.legacyProfiles": {
    source: "observed 0.166",
    says: "clients of today cannot write profiles into config.toml, where today's Codex no longer reads them; nothing of the request is written then",
  },
  "thread.byForeignPath": {
    source: "observed 0.166",
    says: "a thread's file outside the home is resumed, continued and forked where it is, if it is one, and no list shows it",
  },
  "thread.roots": {
    source: "observed 0.166",
    says: "the folders that a client names are the thread's only ones: the folder in which it works is not writable unless it is among them",
  },
  "thread.historyMode": {
    source: "observed 0.166",
    says: "a thread that a client wants in pages is written in numbered lines and says so; its forks and others are one file",
  },
  "turn.clientMetadata": {
    source: "observed 0.166",
    says: "what a client wants recorded is sent with the thread's ids in one header, bounded, without folders, and with another id of this home for each provider",
  },
  "turn.notify": {
    source: "observed 0.166",
    says: "the `notify` program is given a finished turn as one JSON argument, with the name of the client",
  },
  "turn.asAskedFor": {
    source: "observed 0.166",
    says: "a picture's detail, the model of a mode and the name of the output schema reach the model, and each raw answer is told with its usage",
  },
  "thread.injectFirst": { source: "observed 0.166", says: "what is injected before the first turn stands after the context" },
  "thread.forkName": { source: "observed 0.166", says: "a fork has the name of its source" },
  "command.shownWithoutSecrets": {
    source: "observed 0.166",
    says: "secrets are masked in shown commands, and never in what is asked about",
  },
  "command.patch": { source: "observed 0.166", says: "command/exec of apply_patch changes files within the sandbox" },
  "rules.broken": { source: "observed 0.166", says: "rules that cannot be read are told of when a thread opens" },
  "turn.environments": {
    source: "observed 0.166",
    says: "environments choose the folder, an empty list takes the machine away, and unknown ones are refused",
  },
  "turn.steer": {
    source: "docs/from-codex.md; observed 0.166",
    says: "input sent while a turn runs goes into that turn, by turn/steer or turn/start",
  },
  "turn.interrupt": {
    source: "app-server README, Turns; docs/from-codex.md",
    cases: [66],
    says: "an interrupt ends the turn, keeps what was said, and is refused on an idle thread",
  },
  "turn.inputLimit": {
    source: "observed 0.166",
    says: "one input may have 1,048,576 characters, an emoji counting as one, and not one more",
  },
  "review.named": { source: "observed 0.166", says: "a review's message is its subject for clients of today" },
  "command.loginFiles": {
    source: "Parley",
    says: "login shells get what their login files set without reading them, once that is proven to be the same; what is shown stays the same, and features.shell_snapshot = false turns it off",
  },
  "command.processId": {
    source: "observed 0.166",
    says: "a command has the number that the model knows it by from its start to its end, and can be ended by it",
  },
  "turn.empty": {
    source: "observed 0.92, 0.166",
    says: "a turn with empty input makes no model call; for a client of today it does, with all that the model always reads",
  },
  "turn.retry": {
    source: "app-server README, Errors",
    cases: [46],
    says: "a failure that may pass is tried again, and the client is told",
  },
  "turn.retryMidMessage": {
    source: "app-server README, Events; observed 0.98, 0.166",
    says: "a message that broke off ends before the new attempt begins, and the new attempt alone is the turn's answer",
  },
  "turn.tooManyAttempts": {
    source: "app-server README, Errors; observed 0.98, 0.166",
    says: "attempts that are used up say so with the status at 429; a server's 5xx is told by its status, its own 500 by its name",
  },
  "turn.failed": {
    source: "app-server README, Errors",
    cases: [49],
    says: "a failed turn carries its codexErrorInfo and the provider's words",
  },
  "model.notices": {
    source: "observed 0.166",
    says: "limits and another model than the one asked for, which a provider names beside its answer, are told",
  },
  "model.newerKinds": {
    source: "observed 0.166; CONFLICTS 14",
    says: "a model that nobody has and a provider that is busy are kinds of failure of their own; older clients, which do not know them, read other",
  },
  "model.windowAsked": {
    source: "Parley",
    says: "the window of a model on a local server is the server's own, asked for before the first request",
  },
  "model.guessTold": { source: "BEHAVIOUR 105", says: "a thread with a model that nobody knows says once which window is assumed" },
  "model.rawThoughts": {
    source: "app-server README, reasoning; observed 0.98, 0.166",
    says: "raw thoughts that a provider sends reach clients on every wire, unless the user hides them",
  },
  "model.cacheWrites": { source: "schema 0.166", says: "tokenUsage counts what the provider wrote to its cache, last and in all" },
  "turn.parallelTools": { source: "Parley", says: "independent tool calls of one answer run side by side" },
  "turn.compact": {
    source: "observed 0.98, 0.166",
    says: "thread/compact/start replaces the history by a hand-over, and the thread goes on",
  },
  "turn.compactBetweenCalls": {
    source: "observed 0.98, 0.166",
    says: "a turn of tool calls alone is compacted before the window is full, and goes on",
  },
  "turn.compactResumed": { source: "observed 0.166", says: "a resumed thread remembers the provider's count and compacts by it" },
  "approval.decline": {
    source: "app-server README, Approvals; trust A01",
    cases: [114],
    says: "a declined command ends its item as declined and the turn goes on",
  },
  "approval.cancel": { source: "observed 0.92, 0.166", says: "cancel declines the command and interrupts the turn" },
  "approval.unreadable": {
    source: "docs/from-codex.md; trust A02",
    cases: [115],
    says: "an answer of another shape, case or family is a no",
  },
  "approval.errorAnswer": { source: "docs/from-codex.md; trust A03", cases: [116], says: "an error answer is a no, at once" },
  "approval.forSession": {
    source: "docs/from-codex.md; trust A05",
    cases: [117, 118],
    says: "a grant for the session covers the same command and no longer one, in both spellings",
  },
  "approval.remember": { source: "observed 0.92, 0.166", says: "accept and remember writes a prefix rule that counts at once" },
  "approval.foreignAmendment": {
    source: "trust A09",
    cases: [122, 501],
    says: "an answer that wants a rule which was not offered is a no, is told, and stores nothing",
  },
  "approval.ruleInside": {
    source: "Parley",
    cases: [502],
    says: "an allow rule counts inside the sandbox; leaving it is asked about, and the question says so",
  },
  "approval.audit": { source: "Parley", says: "the audit log holds the request and who decided, before the command runs" },
  "approval.policyNever": {
    source: "trust A08",
    cases: [121],
    says: "under never a request to leave the sandbox is refused and the model is told",
  },
  "approval.permissions": {
    source: "observed 0.166",
    says: "request_permissions asks the person, and grants no more than was asked for, for the turn",
  },
  "approval.rules": {
    source: "Parley; trust A07",
    cases: [120],
    says: "rules allow, forbid or ask, and the strictest part of a compound command decides",
  },
  "questions.pairing": {
    source: "docs/from-codex.md",
    says: "pair programming, an older mode, may put questions and is not told to plan only",
  },
  "questions.shapes": { source: "docs/from-codex.md", says: "every documented form of answer is understood" },
  "questions.cancel": {
    source: "seed 000; docs/from-codex.md",
    says: "a cancelled question ends the tool call with an error, not the turn",
  },
  "questions.planOnly": {
    source: "seed 000",
    says: "with features.default_mode_request_user_input off, questions are for Plan mode, and the model is told so elsewhere",
  },
  "questions.everyMode": { source: "Parley", says: "the model may put questions in every mode, wherever somebody can answer" },
  "questions.seed000": { source: "seed 000", says: "the editor document's dialect has a method for each kind of question" },
  "edit.item": { source: "Parley", says: "edit and write go the way of a patch: diff, approval, item, turn diff and undo" },
  "edit.diagnostics": {
    source: "Parley",
    says: "in a trusted folder a fast checker of the project looks at the files of an edit, and the model reads what it finds",
  },
  "edit.refused": {
    source: "Parley",
    says: "an edit that fits no place or several changes nothing, and names the places or the nearest lines",
  },
  "edit.offered": { source: "Parley", says: "a model is offered one way to edit and one to run commands, and the others are understood" },
  "call.repaired": { source: "Parley", says: "a call with slips is repaired, and the person is asked about what will run" },
  "dynamicTool.answers": { source: "seed 003; docs/from-codex.md", says: "a client's tool may answer in every documented form" },
  "dynamicTool.namespace": {
    source: "observed 0.166",
    says: "tools of a namespace are sent to the model as one on the responses wire, under plain names on others, and calls reach the client with both names",
  },
  "dynamicTool.resumed": { source: "Parley", says: "dynamic tools are kept with the thread and offered again after a resume" },
  "dynamicTool.offeredAnew": {
    source: "MANAGER 4; seed 003",
    says: "tools that a client brings to a resume take the place of the thread's own, also while it is loaded",
  },
  "turn.sameMessageOnce": { source: "Parley", says: "a message that is sent to a running turn twice under one client id counts once" },
  "dynamicTool.noShadow": { source: "trust case 133", cases: [133], says: "a client's tool cannot take a built-in tool's name" },
  "thread.forkPoint": { source: "observed 0.166", says: "a fork may end at a turn or before it, and keeps the ids of its turns" },
  "thread.emptyHistory": {
    source: "observed 0.98",
    says: "a history that is sent along is not empty: no new thread begins in place of the one that is named",
  },
  "thread.rawEvents": {
    source: "observed 0.98, 0.166",
    says: "a thread started with experimentalRawEvents tells each item that the model sees, once its turn was told",
  },
  "thread.usage": { source: "observed 0.166", says: "whoever resumes or forks a thread is told the tokens that it has used" },
  "thread.metadata": {
    source: "observed 0.166",
    says: "a metadata update changes the fields it names, clears those it sets to null, and names at least one",
  },
  "thread.rollback": { source: "app-server README, thread/rollback", says: "turns that were rolled back stay away after a restart" },
  "thread.readAgain": {
    source: "Parley",
    says: "a thread that is read or opened again shows what has happened since: running turns, further ones, rollbacks, other programs' lines",
  },
  "thread.items": {
    source: "observed 0.166",
    says: "thread/items/list gives all items of a thread or a turn, by pages, in both directions",
  },
  "thread.rollbackTwice": { source: "observed 0.98", says: "of several rollbacks at once one is carried out, the others are refused" },
  "thread.archive": { source: "app-server README", says: "archive, unarchive and delete move the file and the listing" },
  "thread.rest": { source: "Parley", says: "a thread that nobody watches is let go and takes the next turn with its whole history" },
  "thread.settings": { source: "observed 0.166", says: "thread/settings/update changes the thread and tells its clients" },
  "thread.settingsTable": {
    source: "Parley",
    says: "each setting is taken, shown, changed, followed and kept as its row in the table declares",
  },
  "thread.shellCommand": {
    source: "observed 0.166",
    says: "the person's own command runs unsandboxed, says so, and the model reads what came of it",
  },
  "thread.injectItems": { source: "observed 0.166", says: "injected items are checked" },
  "command.background": { source: "observed 0.166", says: "a command that outlives its call is listed as a terminal and can be cleaned" },
  "review.targets": { source: "app-server README, Review", says: "a review runs for each of the four targets and ends as plain text" },
  "review.detached": { source: "app-server README, Review", says: "a detached review runs in a thread of its own" },
  "review.left": { source: "observed 0.98, 0.166", says: "a review that fails or is interrupted is left all the same" },
  "agents.spawn": {
    source: "app-server README, collabToolCall",
    says: "a sub-agent is a thread below its parent, whose clients answer its questions",
  },
  "agents.roles": {
    source: "observed 0.166",
    says: "an agent of a kind that the home, the settings or a trusted project describe has its instructions, model and effort, and never more rights than its parent",
  },
  "agents.noRoles": { source: "Parley", says: "an agent of a kind that there is not is refused, and no plain one started in its place" },
  "autoReview.decides": {
    source: "observed 0.166",
    cases: [506],
    says: "with an automatic reviewer a model decides approvals, by the evidence alone, and clients and the audit log see its decision",
  },
  "exec.approveForMe": { source: "codex-cli 0.166", says: "`exec --approve-for-me` lets a model review what needs an approval" },
  "autoReview.person": { source: "Parley", says: "what the automatic review does not approve is asked of the person, where there is one" },
  "autoReview.undecided": {
    source: "observed 0.166",
    says: "an answer of the automatic reviewer that is no decision is asked for again, twice at most",
  },
  "autoReview.denials": {
    source: "observed 0.166",
    says: "where nobody can be asked, a denial reaches the model with its reason, and three in a row end the turn",
  },
  "autoReview.attacks": {
    source: "Parley",
    cases: [507],
    says: "a reviewer that is talked to, answers oddly, never, or calls tools without end approves nothing",
  },
  "autoReview.retry": { source: "observed 0.166", says: "the user can allow one more try of exactly what the automatic review denied" },
  "agents.offer": {
    source: "observed 0.166",
    says: "sub-agents are on by default, cost one tool until there is one, and are not offered where they are switched off or too deep",
  },
  "agents.results": {
    source: "observed 0.166",
    says: "an agent's result reaches its parent's model by itself: in the running turn, or with the next one",
  },
  "agents.limits": {
    source: "Parley",
    cases: [508],
    says: "however a model asks, the number of agents that are open, started and nested stays bounded",
  },
  "agents.calls": { source: "observed 0.166", says: "agents take more tasks, are waited for, closed and opened again" },
  "agents.ends": { source: "Parley", says: "what agents do ends when their parent's turn is interrupted, and they end with their parent" },
  "agents.restart": { source: "Parley", says: "a parent of an earlier process can give its agents further tasks" },
  "agents.instructions": {
    source: "observed 0.166",
    says: "agents with paths get the developer instructions of their role, else those set for agents, which may be none, else their parent's",
  },
  "agents.paths": {
    source: "observed 0.166",
    says: "models that were trained on it name agents by path, and get messages and results through a mailbox",
  },
} as const satisfies Readonly<Record<string, Requirement>>;

export type RequirementId = keyof typeof requirements;
