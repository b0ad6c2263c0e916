/** Requirements for security and reliability: attacks, and failing disks, clocks and processes. The numbers are those of docs/security.md. */
import type { Requirement } from "./requirements.ts";

const source = "security cases";

export const trustRequirements = {
  "trust.longInput": { source, cases: [16], says: "20 MB of text are refused before any model hears of them" },
  "trust.loneSurrogates": {
    source,
    cases: [20],
    says: "lone surrogates harm neither server nor file: every stored line is JSON for every reader",
  },
  "trust.duplicateKeys": {
    source,
    cases: [22],
    says: "a doubled key gives at most one answer, and what is checked is what is done",
  },
  "trust.hostileThreadIds": {
    source,
    cases: [27],
    says: "thread ids and paths that lead elsewhere touch and tell nothing",
  },
  "trust.clientName": { source, cases: [31], says: "a client's name forges no header and no log line, however long" },
  "trust.clientTitle": {
    source,
    cases: [31],
    says: "a client's title is one line of visible text for the other clients, and its name is one in the audit log",
  },
  "trust.hugeAnswer": { source, cases: [32], says: "an approval answered with 10 MB is a no" },
  "trust.cutAnywhere": {
    source,
    cases: [36],
    says: "a thread's file cut anywhere after its first turn opens with that turn whole, and goes on",
  },
  "trust.damagedMiddle": {
    source,
    cases: [37],
    says: "NULs, broken, foreign and unknown lines cost nothing but themselves",
  },
  "trust.fullDisk": {
    source,
    cases: [43],
    says: "a full disk is told, ridden out, and what was said meanwhile is stored later",
  },
  "trust.twoServers": {
    source,
    cases: [64],
    says: "of two servers on one home that cannot reach each other one writes a thread, and the other is told who",
  },
  "trust.twoVersions": {
    source,
    cases: [355],
    says: "an older, today's and a newer version on one home serve side by side, list every thread, and leave each other's list alone",
  },
  "trust.twoServersRace": { source, cases: [64], says: "servers that fight over a thread mix nothing and lose nothing" },
  "trust.clockJumps": { source, cases: [68], says: "a clock that jumps changes no order, no id and no list" },
  "trust.outOfMemory": { source, cases: [71], says: "a server that ran out of memory resumes where it was" },
  "trust.everyWrite": {
    source,
    cases: [72],
    says: "a disk that fails or a server that dies at any write of a busy turn loses nothing that was announced",
  },
  "trust.homeTaken": { source, cases: [73], says: "a home that is moved or deleted is told, and work goes on" },
  "trust.readOnlyHome": {
    source,
    cases: [44],
    says: "a read-only home is told and threads go on in memory; what cannot be written down first does not run",
  },
  "trust.sessionScope": {
    source,
    cases: [118],
    says: "a yes for the session covers the same command in the same folder and thread, and no more",
  },
  "trust.offeredRule": { source, cases: [122], says: "a rule that the model proposes is not stored by a plain yes" },
  "trust.lateYes": { source, cases: [129], says: "a yes that comes after the interrupt runs and grants nothing" },
  "trust.answerBinding": { source, cases: [130], says: "an answer counts for the very question it was given to, once" },
  "trust.imitatedApproval": { source, cases: [136], says: "a question of the model that looks like an approval grants nothing" },
  "trust.childScope": { source, cases: [137], says: "forks and sub-agents ask for themselves" },
  "trust.childIsNotWider": { source, cases: [137], says: "forks and sub-agents keep their parent's sandbox, whatever the model asks for" },
  "trust.manyCalls": {
    source,
    cases: [200],
    says: "of the calls in one answer so many are carried out, a few at a time; the model and the person hear of the rest",
  },
  "trust.callFlood": { source, cases: [200], says: "an answer of 200,000 calls holds nobody else up" },
  "trust.manySteers": { source, cases: [202], says: "so many messages wait for a running turn; the next one is refused" },
  "trust.plantedSettings": {
    source,
    cases: [700],
    says: "settings that come into a trusted project below its root widen nothing before the user accepts them, and that is told",
  },
  "trust.changedRules": {
    source,
    cases: [701],
    says: "a trusted project's rules allow only as the user accepted them; what they forbid counts at once",
  },
  "trust.changedSkills": { source, cases: [702], says: "a trusted project's skills count only as the user accepted them" },
  "trust.keepsItsLimits": {
    source: "observed 0.166",
    cases: [500],
    says: "a thread that is resumed or forked keeps the sandbox and the approval policy that it had, whatever the config says since",
  },
  "trust.policyOfOneTurn": {
    source,
    cases: [103],
    says: "a wider policy of a turn ends with a narrower one, and does not come back where a resume asks for less",
  },
  "trust.endlessAnswer": {
    source,
    cases: [55, 69],
    says: "an answer of the model that never ends is given up, in words, with memory flat and little stored",
  },
  "trust.endlessAnswerInterrupted": { source, cases: [55], says: "an interrupt ends an endless answer at once and closes its connection" },
  "trust.silentAnswer": {
    source,
    cases: [54],
    says: "a stream that stalls, or says nothing but that it lives, is given up after its time",
  },
  "trust.garbageAnswer": { source, cases: [48], says: "no garbage in a stream is an internal error, and the next turn works" },
  "trust.loudCommand": {
    source,
    cases: [57, 69],
    says: "a command that prints 1 GB leaves server, client, model and file with a short form of it",
  },
  "trust.oddOutput": { source, cases: [63], says: "output of any bytes is valid JSON for the client and in the file" },
  "trust.stubbornChild": { source, cases: [58, 74], says: "an interrupt ends children that ignore signals, are stopped or have left" },
  "trust.vanishingClient": {
    source,
    cases: [41, 67],
    says: "whenever a client vanishes while a command is started, server and command end",
  },
  "trust.plantedPrograms": {
    source,
    cases: [99],
    says: "programs of the workspace, first on the PATH or named as the shell, never run outside the sandbox",
  },
  "trust.plantedSecrets": {
    source,
    cases: [162, 176],
    says: "keys and tokens of a session are in no log, message, thread file or audit line, also when the provider repeats them",
  },
  "trust.projectHooks": { source, cases: [171], says: "hooks and notify programs of an untrusted folder never run, whatever the sandbox" },
  "trust.hugeProjectDoc": { source, cases: [179], says: "of an AGENTS.md of 5 MB the model gets its beginning" },
  "trust.remoteSecrets": { source, cases: [188], says: "secrets in a git remote's address are stored nowhere and sent to nobody" },
  "trust.projectEnv": { source, cases: [167], says: "environment files of a folder change neither home nor keys nor model server" },
  "trust.mcpAnswers": {
    source,
    cases: [174],
    says: "MCP servers that answer twice, under other ids, in no known shape or between garbage and floods harm no call",
  },
  "trust.mcpFloods": {
    source,
    cases: [174, 186],
    says: "an MCP answer of 100 MB, without end or full of pictures is bounded, and the thread goes on",
  },
  "trust.mcpCrowd": {
    source,
    cases: [203],
    says: "of an MCP server's 100,000 tools those are offered that the settings name, and the person hears when a list is cut",
  },
  "trust.loadedThreads": {
    source,
    cases: [204],
    says: "a connection watches 1,100 threads and a server loads 1,500; one that nobody watches makes room, and the error says what to do",
  },
  "trust.manyTools": { source, cases: [204], says: "a thread has at most 512 tools of its client" },
  "trust.manyCommands": { source, cases: [204], says: "a connection runs at most 64 commands of its own at once" },
  "trust.endlessOutput": {
    source,
    cases: [205],
    says: "without a cap, too, what is kept of a command's output is bounded, and the client is warned when it is cut",
  },
  "trust.unreadOutput": {
    source,
    cases: [205],
    says: "a client's own command is ended, and the client told so, when 32 MB of its output are left unread",
  },
  "trust.mcpNames": {
    source,
    cases: [174],
    says: "thousands of MCP tools with odd names neither break the request nor hide the built-in ones",
  },
  "trust.protectedNames": {
    source,
    cases: [113],
    says: "names that the user closes, such as .vscode, are written by no command and no unasked patch",
  },
  "trust.protectedNamesWrong": { source, cases: [113], says: "a protected name that would protect nothing is refused in words" },
  "trust.mcpPrivate": {
    source,
    cases: [185],
    says: "an MCP server does not make us fetch from inside our network, nor from where clouds give out keys",
  },
  "trust.deafClient": {
    source,
    cases: [25, 159],
    says: "a client that has stopped reading costs little, whatever the model and the commands say meanwhile",
  },
  "transport.stragglers": {
    source,
    cases: [603],
    says: "a client that does not read holds up no other: the turn goes on, it is cut off with 1013, and a resume brings it all that was said",
  },
  "trust.pendingApproval": {
    source,
    cases: [39, 40],
    says: "a server that is killed, or whose client goes, while a question is open runs nothing, and the thread goes on",
  },
  "trust.manyThreads": { source, cases: [65], says: "20 threads that run commands at once get each its own output" },
  "trust.policiesApart": { source, cases: [102], says: "threads with unlike policies keep to their own" },
  "trust.execPolicies": { source, cases: [100], says: "command/exec keeps to its policy, and one that cannot be read is refused" },
  "trust.modelMistakes": {
    source,
    cases: [51, 52, 53],
    says: "a model that calls what is not there, or with what makes no sense, is told so, and nothing runs",
  },
  "trust.projectServersAndRules": {
    source,
    cases: [166, 172, 173, 180],
    says: "MCP servers and allow rules of a folder have no effect before the user trusts it, whatever the sandbox",
  },
  "trust.oddProjectFiles": {
    source,
    cases: [320],
    says: "pipes, endless devices and sparse giants in a project, where settings, hooks, skills, instructions or git's files are looked for, hold up and fill nothing",
  },
  "trust.oddImages": {
    source,
    cases: [321],
    says: "pictures that are pipes, devices or giants are refused in words, and nobody else waits for them",
  },
  "trust.packedBomb": {
    source,
    cases: [322],
    says: "a packed thread that unpacks without end is listed and refused with memory flat, and the others can be used",
  },
  "trust.everyWriter": {
    source,
    cases: [323],
    says: "on a full disk every file that is replaced stays as it was, nothing is left half written, and the next write is whole",
  },
  "trust.undoAfterKill": {
    source,
    cases: [325],
    says: "what a command changed can be taken back from the moment its end is announced, also by the next server after a kill -9",
  },
} as const satisfies Readonly<Record<string, Requirement>>;
