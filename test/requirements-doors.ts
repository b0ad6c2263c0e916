/** Requirements for the other interfaces: older clients, MCP, editors, scripts. Part of requirements.ts. */
export const doorRequirements = {
  "live.followed": {
    source: "Parley",
    says: "a thread that another process on the home runs is followed live and led on, event for event",
  },
  "live.answered": { source: "Parley", says: "a question is answered, and a turn interrupted, from another process on the home" },
  "live.listed": {
    source: "Parley",
    says: "a client that lists threads sees which of them work or wait in other processes on the home, and hears of every change, without opening one",
  },
  "live.inbox": {
    source: "Parley",
    says: "what a thread of another process asks is in the manager's inbox by itself, and is answered from there",
  },
  "live.manyProcesses": {
    source: "Parley",
    says: "a thread goes from process to process as each is killed, until one is left, and nothing is lost",
  },
  "live.holdersKilled": {
    source: "Parley",
    says: "processes that run a thread are killed at random, and nothing that was announced is lost or told twice, and no question is gone",
  },
  "live.doors": {
    source: "Parley",
    says: "terminal, page, editor, script and a raw client with a server each share every thread of the home: follow, steer, answer, interrupt",
  },
  "live.strangers": { source: "Parley", says: "on the private socket and in lock files nothing but the right form counts" },
  "live.questionMoves": {
    source: "Parley",
    says: "a question of a process that dies is put by the one that takes its thread over, and its turn goes on",
  },
  "live.exec": {
    source: "Parley",
    says: "a script's turn runs in the process that has the thread, which can ask its person afterwards as before",
  },
  "live.stopped": {
    source: "Parley",
    says: "a thread whose process is stopped can be read, its clients are told and refused instead of waiting without end, and all follow it again when it goes on or is killed",
  },
  "live.openedAtOnce": {
    source: "Parley",
    says: "of processes that open a thread in the same moment one runs it, and all others follow that one",
  },
  "live.takenOver": {
    source: "Parley",
    says: "when the process that runs a thread dies, one that still follows it goes on, and the clients are told",
  },
  "mcpServer.identity": { source: "observed 0.98", says: "the MCP server names itself codex-mcp-server, with a user agent" },
  "mcpServer.arguments": { source: "MCP server document, Codex tools", says: "codex and codex-reply take every documented argument" },
  "mcpServer.settings": { source: "MCP server document, Codex tools", says: "the arguments of codex become the thread's settings" },
  "mcpServer.commandOutput": {
    source: "MCP server document, Event stream",
    says: "a command's stdout and stderr come as two streams, with their own bytes",
  },
  "mcpServer.events": {
    source: "MCP server document, Event stream",
    says: "events stream as codex/event with the request id, and the result names the thread",
  },
  "mcpServer.reply": { source: "MCP server document, Codex tools", says: "codex-reply goes on with a session by either name of its id" },
  "mcpServer.wrongCalls": { source: "observed 0.98", says: "a wrong call comes back as an error result that says what is wrong" },
  "mcpServer.progress": { source: "MCP, Progress", says: "a client that asks for progress hears what the agent does" },
  "mcpServer.cancel": { source: "MCP, Cancellation", says: "a cancelled call interrupts its turn, and the session can be gone on with" },
  "mcpServer.elicitation": {
    source: "MCP server document, Approvals",
    says: "a command is asked about by an elicitation with a form and the codex_ keys",
  },
  "mcpServer.answers": {
    source: "MCP server document and MCP, Elicitation",
    says: "a decision counts at the top, in the content or as the action; all else is a no",
  },
  "mcpServer.abort": { source: "MCP server document, Approvals", says: "abort and cancel stop the turn" },
  "mcpServer.patchApproval": { source: "MCP server document, Approvals", says: "edits are asked about with their changes by path" },
  "mcpServer.cannotAsk": { source: "Parley", says: "where the client cannot be asked, the policy decides and the result says so" },
  "mcpServer.rounds": {
    source: "MCP 2026-07-28, multi round-trip requests",
    says: "questions are asked in rounds where the client has no session",
  },
  "acp.initialize": { source: "Agent Client Protocol, Initialization", says: "an editor is told what the agent can do" },
  "acp.keepsMode": { source: "Parley", says: "a session that is loaded after a restart is in the mode that it was left in" },
  "acp.prompt": { source: "Agent Client Protocol, Prompt turn", says: "a prompt streams thoughts and words and ends with a reason" },
  "acp.context": { source: "Agent Client Protocol, Content", says: "pictures, selections and links reach the model; sound is refused" },
  "acp.commands": { source: "Agent Client Protocol, Tool calls", says: "a command is a tool call with its output and exit code" },
  "acp.terminals": {
    source: "Agent Client Protocol, Terminals",
    says: "a command that leaves the sandbox anyway runs in the editor's terminal, which its tool call shows",
  },
  "acp.terminalsOnlyOutside": { source: "Parley", says: "a command in the sandbox, or in an editor without terminals, stays in Parley" },
  "acp.terminalKilled": {
    source: "Agent Client Protocol, Terminals",
    says: "a cancelled command in the editor's terminal is killed, and its terminal released",
  },
  "acp.terminalGone": {
    source: "Parley",
    says: "an editor that refuses, does not answer or goes ends a command in words, and never runs it twice",
  },
  "acp.shownTerminals": {
    source: "observed: Codex's adapter for Zed",
    says: "where the editor shows such terminals, the output of commands in the sandbox is shown live in one",
  },
  "acp.streamedOutput": { source: "Agent Client Protocol, Tool calls", says: "the output of a command is told while it runs" },
  "acp.permissionForRoom": { source: "Agent Client Protocol, Requesting permission", says: "an editor can grant more room in the sandbox" },
  "acp.diffs": { source: "Agent Client Protocol, Tool calls", says: "an edit is a tool call with the old and the new text of each file" },
  "acp.plan": { source: "Agent Client Protocol, Agent plan", says: "the plan is told with the state of each entry" },
  "acp.cancel": {
    source: "Agent Client Protocol, Cancellation",
    says: "session/cancel ends the prompt as cancelled, and the session goes on",
  },
  "acp.failures": { source: "Agent Client Protocol, Errors", says: "failures end a prompt with an error that says why" },
  "acp.modes": { source: "Agent Client Protocol, Session modes", says: "modes choose approvals and sandbox, and plan mode" },
  "acp.modeCounts": { source: "Agent Client Protocol, Session modes", says: "a mode counts from the next prompt on" },
  "acp.models": { source: "Agent Client Protocol, Session config options", says: "the model can be chosen among those there are" },
  "acp.sameMode": {
    source: "Agent Client Protocol, Session modes",
    says: "a mode or an option that is in force already is answered at once",
  },
  "acp.editorFiles": {
    source: "Agent Client Protocol, File system",
    says: "files are read as the editor shows them, unsaved changes included, where it offers that",
  },
  "acp.unsavedChanges": {
    source: "Agent Client Protocol, File system",
    says: "an edit of a file with unsaved changes reaches the editor's text too, or people are told that the two have come apart",
  },
  "acp.signIn": {
    source: "Agent Client Protocol, Authentication",
    says: "without a model a session asks for a sign-in, and every provider's is offered in the editor's terminal",
  },
  "acp.organize": { source: "Agent Client Protocol, drafts", says: "sessions are forked, given titles, archived and brought back" },
  "acp.list": { source: "Agent Client Protocol, Session list", says: "sessions are listed, closed and deleted" },
  "acp.load": {
    source: "Agent Client Protocol, Loading sessions",
    says: "a loaded session repeats what was said and goes on; a resumed one only goes on",
  },
  "acp.loadUnused": { source: "Agent Client Protocol, Loading sessions", says: "a session without a prompt can be loaded after a restart" },
  "acp.undo": {
    source: "Parley",
    says: "/undo takes the last turn out of the conversation, and with `files` puts its files back, as in every client",
  },
  "acp.ownCommands": { source: "Agent Client Protocol, Slash commands", says: "/compact and /review do what they say" },
  "acp.agents": { source: "Parley", says: "sub-agents are shown in the editor, and their questions go to the session that they work for" },
  "acp.permission": {
    source: "Agent Client Protocol, Requesting permission",
    says: "a choice counts for the command; anything unknown is a no, a dismissed dialogue stops",
  },
  "acp.permissionForSession": { source: "Agent Client Protocol, Requesting permission", says: "allow always is not asked again" },
  "acp.permissionForEdits": {
    source: "Agent Client Protocol, Requesting permission",
    says: "an edit is asked about with its diff before it is made",
  },
  "acp.cancelQuestion": { source: "Agent Client Protocol, Cancellation", says: "cancelling withdraws an open question" },
  "acp.form": { source: "Agent Client Protocol, Elicitation", says: "questions of the model are forms where the editor has them" },
  "acp.noForm": { source: "Parley", says: "questions with options are dialogues where the editor has no forms" },
  "exec.order": {
    source: "EXEC-JSON §4",
    says: "a run is thread.started, turn.started, items, turn.completed; ids are counted from item_0",
  },
  "exec.usageTotal": { source: "EXEC-JSON §4", says: "usage is the running total of the thread; a resumed thread keeps its id" },
  "exec.command": { source: "EXEC-JSON §4", says: "a command is told when it starts and when it ends, with its output and exit code" },
  "exec.refused": { source: "EXEC-JSON §1", says: "nobody is asked: an escalation is a tool error and no command item" },
  "exec.fileChange": { source: "EXEC-JSON §4", says: "an edit is told with absolute paths and kinds, when it starts and when it ends" },
  "exec.todoList": { source: "EXEC-JSON §4", says: "the plan is one item: started, updated, and completed just before the end" },
  "exec.mcpToolCall": { source: "EXEC-JSON §4", says: "a call of an MCP tool is told with its arguments and result" },
  "exec.webSearch": {
    source: "EXEC-JSON §4, observed 0.98, 0.166",
    says: "a web search keeps its own id, and tells what was searched, opened or sought in the model's words",
  },
  "exec.warnings": { source: "EXEC-JSON §4", says: "warnings, those of the settings too, are error items after thread.started, each once" },
  "exec.failure": { source: "EXEC-JSON §4", says: "a failed turn is an error and turn.failed with the reason" },
  "exec.retry": {
    source: "observed 0.98, 0.166",
    says: "a broken stream is told with its reason; what was streamed of it is neither an item nor the last message",
  },
  "exec.review": { source: "EXEC-JSON §1", says: "a review tells its findings once, in readable form" },
  "exec.fork": { source: "EXEC-JSON §1, observed 0.166", says: "a fork has a new id; without a prompt it is only made" },
  "exec.plainText": { source: "Parley", says: "a person reads what happens in plain lines, and text cannot steer the terminal" },
  "exec.stdin": { source: "EXEC-JSON §1", says: "the prompt comes from stdin when it is missing or -, and more context beside a prompt" },
  "exec.stdout": { source: "EXEC-JSON §1", says: "stdout has the final message alone, or events alone; -o keeps the message" },
  "exec.exitCodes": { source: "EXEC-JSON §1, Exit codes", says: "0 completed, 1 failed or could not start, 2 a wrong command line" },
  "exec.signals": {
    source: "EXEC-JSON §1, Exit codes",
    says: "SIGINT, SIGTERM and SIGHUP end the run with 1 and a last event that says so",
  },
  "exec.codexKey": {
    source: "observed 0.166",
    says: "CODEX_API_KEY pays before every stored sign-in, and models are called with the announced user agent",
  },
  "exec.files": {
    source: "Parley",
    says: "a picture that cannot be read, and a message file that cannot be written, fail the run at once",
  },
  "exec.resume": { source: "EXEC-JSON §1", says: "sessions go on by id, by name and by --last, with the flags on either side" },
  "exec.resumeProvider": {
    source: "Parley",
    says: "a session goes on with the provider that it was started with, named by the first letters of its id",
  },
  "exec.resumeSettings": {
    source: "Parley",
    says: "exec resume keeps the thread's sandbox and model; -c, -p, -m and -s change them",
  },
  "exec.settings": { source: "EXEC-JSON §1", says: "-c, sandbox flags, --add-dir, --cd, --output-schema and images count" },
  "exec.leftAside": {
    source: "EXEC-JSON §1",
    says: "--ephemeral stores no thread; --ignore-user-config and --ignore-rules leave files aside",
  },
  "exec.sdkCall": { source: "EXEC-JSON §2, §3", says: "the command lines of the SDKs are understood" },
  "exec.worktree": { source: "EXEC-JSON §1", says: "--worktree runs in a new worktree of the repository" },
  "turn.steerFollowed": {
    source: "observed 0.166, the terminal",
    says: "words that a client follows by an id are kept when their turn is interrupted and not announced, so that it sends them again",
  },
  "thread.deleteForked": {
    source: "observed 0.166",
    cases: [300],
    says: "a thread that holds the past of forks is not deleted before them, and the refusal names them",
  },
  "thread.resumeOpen": {
    source: "Parley",
    says: "whoever resumes an open thread with other settings than it has is told which were not applied",
  },
  "thread.resumeConfig": {
    source: "observed 0.166",
    says: "the config of thread/resume and thread/fork counts over what the thread had",
  },
  "thread.permissions": {
    source: "observed 0.166",
    says: "a permission profile names the sandbox of a thread, and its settings say which",
  },
  "profile.own": {
    source: "observed 0.166",
    says: "a profile of the settings gives threads its sandbox: by default_permissions, by the params of every request that takes one, and on resume",
  },
  "profile.denies": {
    source: "observed 0.166",
    says: "what a profile denies or keeps read-only is so for commands, patches and images, and stays denied outside the sandbox and after a switch",
  },
  "profile.agents": {
    source: "own",
    says: "sub-agents and reviews have the profile of their thread, and none of its rights to write where they only read",
  },
  "profile.hosts": {
    source: "observed 0.166",
    says: "commands of a profile that lists hosts reach these through a proxy and nothing else; what was refused is in their output and in the audit log",
  },
  "profile.hostsAsked": {
    source: "observed 0.166",
    says: "a host that no entry names is asked about while the command waits: once, for the session, or not",
  },
  "profile.hostsReviewed": {
    source: "schema 0.166",
    says: "the automatic review and the person are asked about hosts that a command reaches by SOCKS, with the protocol's name",
  },
  "profile.hostsRemembered": {
    source: "observed 0.166",
    says: "an answer may store a rule for that host, and no other, which holds for every later command",
  },
  "profile.hostsUnasked": {
    source: "observed 0.166",
    says: "where nobody may be asked, a host without a rule is refused; a cancel stops the turn and its command",
  },
  "profile.hostsAfterwards": {
    source: "source of 0.166",
    says: "a background command whose turn is over asks nobody: a host without a rule is refused, in words",
  },
  "profile.hostsGeneral": {
    source: "observed 0.166",
    says: "features.network_proxy filters the hosts of sandbox modes with a network too",
  },
  "profile.hostsManaged": {
    source: "observed 0.166",
    says: "the administrator's hosts hold for every sandboxed command with a network, and a profile cannot undo them",
  },
  "profile.listed": {
    source: "observed 0.166",
    says: "permissionProfile/list has the profiles of the settings, and what the administrator does not allow is refused or replaced",
  },

  "mcp.searched": {
    source: "Parley",
    says: "more than 20 MCP tools stand behind a search; what it finds can be called at once, and after a restart and in a fork",
  },
  "mcp.oddSchema": {
    source: "Parley",
    says: "alternatives at the top of an MCP tool's schema reach no provider, and the tool can be called",
  },
  "mcp.fixedTokens": { source: "Parley", says: "a first request with all default tools and 60 MCP tools takes at most 3,000 tokens" },
  "mcp.call": {
    source: "app-server README, MCP",
    says: "tools of configured servers are offered and called; the client hears how they start",
  },
  "mcp.progress": { source: "MCP, Progress", says: "a tool's progress is told" },
  "mcp.resources": {
    source: "observed 0.98, 0.166",
    says: "resources are read by the model and by the client; tools are called by the client",
  },
  "mcp.status": {
    source: "app-server README, mcpServerStatus/list",
    says: "servers are listed page by page with tools, resources and how they are",
  },
  "mcp.broken": {
    source: "Parley",
    cases: [174],
    says: "a server that does not start is told of once, and neither stops nor slows the thread",
  },
  "mcp.required": {
    source: "observed 0.166",
    says: "a thread is not opened when a required server cannot be started, and a turn fails when it is gone later",
  },
  "mcp.callMeta": {
    source: "observed 0.166",
    says: "a tool is told the thread and call it serves, and what the client's own call brings as _meta",
  },
  "mcp.started": {
    source: "observed 0.166",
    says: "servers start with their thread, after its answer, and clients are told how each fares",
  },
  "mcp.crash": { source: "Parley", cases: [174], says: "a server that crashed is started again" },
  "mcp.timeout": { source: "config, tool_timeout_sec", cases: [174], says: "a tool that takes too long is an error for the model" },
  "mcp.interrupt": { source: "app-server README, turn/interrupt", says: "an interrupt does not wait for a tool" },
  "mcp.environment": { source: "MCP best practices", cases: [175], says: "a server gets what the settings name and no key or token" },
  "mcp.reload": { source: "app-server README, config/mcpServer/reload", says: "a reload counts from the thread's next turn on" },
  "mcp.brokenReload": { source: "Parley", says: "a config that became wrong refuses the turn with the reason, and mended it goes on" },
  "mcp.approval": {
    source: "approvals document; docs/from-codex.md",
    cases: [134, 135],
    says: "a tool that may change things is asked about, with the arguments that are sent",
  },
  "mcp.approvalNever": {
    source: "docs/from-codex.md",
    says: "where nobody may be asked, only tools that read run, and the refusal names the key",
  },
  "mcp.approvalAllow": { source: "docs/from-codex.md", says: "approval = allow runs tools unasked" },
  "mcp.approvalForSession": { source: "docs/from-codex.md", says: "accepted for the session is not asked again" },
  "mcp.changedTool": {
    source: "Parley (tool poisoning)",
    cases: [184],
    says: "a tool that changes what it says of itself is told of and asked about again",
  },
  "mcp.redefined": {
    source: "trust case 182 (CVE-2025-54136)",
    cases: [182],
    says: "a trusted project's server that is new, changed or in the place of the user's own is not started before the user accepts it",
  },
  "mcp.shadow": { source: "Parley (tool shadowing)", cases: [133], says: "a tool named like a built-in one does not take its place" },
  "mcp.bounded": { source: "Parley", cases: [186], says: "results are bounded before they are kept" },
  "mcp.elicitation": {
    source: "observed 0.166",
    cases: [187],
    says: "a server's question reaches the client, and the thread shows that it waits",
  },
  "mcp.elicitationDeclined": { source: "Parley", says: "a question that no client can answer is declined with a warning" },
  "mcp.elicitationNever": {
    source: "observed 0.166",
    says: "under never a server's question is declined, unless everything is allowed anyway; what the answer's _meta holds goes along",
  },
  "mcp.elicitationInterrupted": { source: "observed 0.166", says: "a server's question is taken back when its turn is interrupted" },
  "mcp.elicitationSecret": { source: "MCP, Elicitation", cases: [187], says: "a question for a password comes with a caution" },
  "mcp.elicitationUrl": { source: "MCP, Elicitation", cases: [165], says: "only web addresses are offered to be opened" },
  "mcp.sampling": { source: "Parley", cases: [187], says: "servers cannot use the model" },
  "mcp.http": { source: "config, mcp_servers.*.url", says: "servers over HTTP get the headers of the settings" },
  "mcp.redirect": { source: "MCP best practices", cases: [185], says: "a redirect is refused, and no header goes to another place" },
  "mcp.login": {
    source: "app-server README, mcpServer/oauth/login",
    says: "a sign-in opens a server that wanted one, and is renewed without a person",
  },
  "mcp.loginAddress": {
    source: "CVE-2025-6514",
    cases: [165, 185],
    says: "only web addresses without shell characters are given out to be opened",
  },
  "mcp.everything": {
    source: "the MCP project's reference server",
    says: "its tools run: text, numbers, structured content, pictures, resources",
  },
  "mcp.everythingResources": { source: "the MCP project's reference server", says: "its resources and templates are listed and read" },
  "mcp.everythingProgress": { source: "the MCP project's reference server", says: "its progress is told" },
  "mcp.everythingQuestions": {
    source: "the MCP project's reference server",
    says: "its forms and pages reach the client, also those that come as errors",
  },

  "v1.values.errors": { source: "schema 0.98", says: "failures of the model have the older API's words" },
  "v1.values.events": {
    source: "schema 0.98",
    says: "pages that a search opened, what started a command and a sandbox of the client's own are told in the older API's words",
  },
  "v1.events.message": {
    source: "older API document, Complete Event Types",
    says: "task_started, user_message, agent_message(_delta), token_count, task_complete",
  },
  "v1.events.reasoning": {
    source: "older API document, Complete Event Types",
    says: "agent_reasoning with deltas, section breaks and raw content",
  },
  "v1.events.command": {
    source: "older API document, Complete Event Types",
    says: "exec_command_begin, _output_delta and _end, in both spellings",
  },
  "v1.events.bytes": {
    source: "older API document, Tool Execution Output",
    says: "chunk is the command's own bytes in base64, also when they are not UTF-8",
  },
  "v1.events.patch": { source: "older API document, Complete Event Types", says: "patch_apply_begin and _end, turn_diff" },
  "v1.events.update": {
    source: "older API document, Complete Event Types",
    says: "a changed and moved file carries its diff in both spellings",
  },
  "v1.events.plan": { source: "older API document, Complete Event Types", says: "plan_update" },
  "v1.events.search": { source: "older API document, Complete Event Types", says: "web_search_begin and _end" },
  "v1.events.mcp": { source: "older API document, Complete Event Types", says: "mcp_tool_call_begin and _end" },
  "v1.events.errors": { source: "older API document, Complete Event Types", says: "error, stream_error, background_event" },
  "v1.events.approvals": {
    source: "older API document, Complete Event Types",
    says: "exec_approval_request and apply_patch_approval_request beside their requests",
  },
  "v1.events.declined": {
    source: "observed 0.92, 0.98",
    says: "what was refused ends with the words of the refusal; an applied patch lists new, changed and gone files in this order",
  },
  "v1.events.retry": { source: "observed 0.98", says: "a message that broke off is neither an agent_message nor the turn's last one" },
  "v1.events.failed": { source: "observed 0.98", says: "a failed turn ends with task_complete without a last message" },
  "v1.events.raw": {
    source: "observed 0.92, 0.98",
    says: "a listener with experimentalRawEvents hears raw_response_item for each item that the model sees",
  },
  "v1.events.abort": {
    source: "older API document, Complete Event Types",
    says: "turn_aborted, and an interrupt that answers when the turn has ended",
  },
  "v1.events.review": { source: "older API document, Complete Event Types", says: "entered_review_mode and exited_review_mode" },
  "v1.events.findings": {
    source: "observed 0.92, 0.98",
    says: "a review names its target when it begins and its findings one by one when it ends",
  },
  "v1.events.agents": {
    source: "observed 0.98",
    says: "an agent's calls of other agents begin and end, with whom they are about and how those fare",
  },
  "v1.events.later": {
    source: "observed 0.98",
    says: "input for a command, a picture looked at, a new name, a plan, a summary, started MCP servers and the end are told",
  },
  "v1.events.questions": {
    source: "observed 0.98",
    says: "a question of the model and a call of a client's tool are events too, and the current API's answer counts",
  },
  "v1.events.unanswered": {
    source: "observed 0.98",
    says: "a question in a conversation that only older clients watch ends without answers, and the turn goes on",
  },
  "v1.events.configured": { source: "older API document, Complete Event Types", says: "session_configured with all its fields" },
  "v1.newConversation": {
    source: "older API document, NewConversation",
    says: "a conversation starts with its settings, and sessionConfigured follows the answer",
  },
  "v1.turns": { source: "older API document, SendUserTurn", says: "messages and turns with settings, images in every spelling" },
  "v1.listeners": { source: "older API document, AddConversationListener", says: "events come while a listener is there" },
  "v1.answersFirst": { source: "observed 0.92, 0.98", says: "a message and a sign-in are answered before what they cause is told" },
  "v1.lateListener": { source: "observed 0.98", says: "what happens while nobody listens is told to the next listener, once" },
  "v1.unknownConversation": { source: "observed 0.92, 0.98", says: "unknown conversations are refused in the older words" },
  "v1.onlyOnRequest": { source: "Parley", says: "connections that use no older method hear no older events" },
  "v1.history": {
    source: "older API document, ListConversations, ResumeConversation",
    says: "conversations are listed, summarized, forked, resumed after a restart, archived",
  },
  "v1.decisions": {
    source: "older API document, ExecCommandApproval",
    says: "the four decisions count in their exact spelling, all else is a no",
  },
  "v1.decisionForSession": { source: "older API document, ExecCommandApproval", says: "approved_for_session is not asked again" },
  "v1.account": {
    source: "older API document, Authentication",
    says: "sign-in, sign-out and status, with authStatusChange and loginChatGptComplete",
  },
  "v1.settings": { source: "observed 0.92", says: "the saved config, the default model and the user agent" },
  "v1.oneOffCommand": { source: "observed 0.92", says: "execOneOffCommand runs one command" },
  "v1.git": { source: "observed 0.92", says: "gitDiffToRemote tells what the remote lacks" },
  "v1.search": { source: "observed 0.92", says: "fuzzyFileSearch finds files" },
} as const;
