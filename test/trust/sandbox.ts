/** Cases 75 to 113 and from 400 on: ways out of the sandbox. */
import type { CaseTable } from "./table.ts";

const bwrap = "src/exec/sandbox/linux-sandbox.test.ts";
const escapes = "src/exec/sandbox/escapes.test.ts";
const filter = "src/exec/sandbox/seccomp.test.ts";
const limits = "src/exec/command-limits.test.ts";
const nested = "src/exec/sandbox/nested-repositories.test.ts";
const logins = "src/exec/login/login-snapshots.test.ts";
const hosts = "src/exec/network/sandboxed.test.ts";
const proxy = "src/exec/network/proxy.test.ts";
const forms = "src/lib/host-pattern.test.ts";
const names = `${bwrap} > cannot be written, planted or moved, and nothing is left behind`;
const roots = `${bwrap} > roots: relative and whole disk are refused, missing ones skipped, links resolved, planted links refused`;
const status = `${bwrap} > no capability, no new privileges, a filter, no other processes, no settings of the machine`;
const home = `${bwrap} > the server's home: secrets hidden, nothing writable, skills readable`;
const network = `${bwrap} > network: off by default, loopback inside works, on when allowed`;
const environment =
  "src/exec/environment.test.ts > keys, secrets and tokens of any case, and model keys of any name, are left out by default";
const writes = `${bwrap} > a command writes in the workspace, in /tmp, and nowhere else`;

export const sandboxCases: CaseTable = {
  75: ["writing in the workspace works", "S01", writes],
  76: ["writing, deleting, chmod and mkdir outside", "S02", writes],
  77: [
    "writing through symlinks",
    `${escapes} > symlinks lead nowhere`,
    `${escapes} > a link that is swapped while commands run leads nowhere either`,
  ],
  78: ["hard links to files outside", `${escapes} > hard links: none can be made to a file outside`],
  79: ["git hooks and git config", "S05", names],
  80: ["planting a `.git`", "S06", names],
  81: ["writing, planting or moving `.codex`", "S07", names],
  82: ["a `.codex` that is a symlink", `${bwrap} > a symlinked protected name is refused`],
  83: ["the server's own home", "S09", home],
  84: ["a working folder that the model chooses", `${escapes} > a folder that the model chooses for a command does not become writable`],
  85: ["read-only mode", "S11", `${bwrap} > read-only mode: nothing can be written, /dev/null can be used`],
  86: ["a policy that shuts the temp folders", "S12", `${bwrap} > the switches close /tmp and TMPDIR`],
  87: ["TCP to loopback", "S13", network],
  88: ["UDP", "S14", `${escapes} > datagrams: none leaves, to this machine or another`],
  89: ["unix sockets, abstract ones too", `${escapes} > unix sockets: neither by a path nor by an abstract name`],
  90: ["network that the policy allows works", "S16", network],
  91: ["capabilities, new privileges, the filter", "S17", status],
  92: ["killing or reading the server", "S18", `${bwrap} > the server cannot be killed or read`],
  93: ["namespaces, mounts, devices", `${bwrap} > namespaces, mounts and devices cannot be made`],
  94: ["settings of the machine under /proc/sys", "S20", status],
  95: ["descriptors of the server", `${"src/exec/spawn.test.ts"} > output goes to real pipes, nothing else is inherited`],
  96: ["the model provider's key in the environment", "S22", environment],
  97: ["other secrets in the environment", "S23", environment],
  98: [
    "variables that run code in the next command",
    "S24",
    `${bwrap} > variables that load code reach the command, but not the program that confines it`,
  ],
  99: [
    "programs of the workspace first on the PATH",
    "src/lib/program.test.ts > helper programs come from system folders that commands cannot write",
  ],
  100: ["command/exec with every policy", "S26"],
  101: ["a process left in the background", "S27", `${escapes} > what is left running in the background stays confined`],
  102: ["two threads with unlike policies", "S28"],
  103: ["a wider policy of one turn"],
  104: ["the stored key of the server", "S30", home],
  105: ["typing into a terminal", `${escapes} > no terminal to inject input into`],
  106: ["no sandbox to be had", `${bwrap} > where user namespaces are off, commands are refused with the fix`],
  107: ["system calls that a command has no use for", "src/exec/sandbox/seccomp.test.ts > every denied call is refused with EPERM"],
  108: [
    "the whole disk, a home or the server's home as workspace",
    roots,
    `${bwrap} > a home as workspace keeps its start-up files and the server's home`,
  ],
  109: ["writable roots that are links, missing or relative", roots],
  110: ["protected names in another case", `${escapes} > names in another case are the same names where the disk says so`],
  111: ["planting a skill", names],
  112: ["nested repositories, submodules, worktrees", `${bwrap} > what \`.git\` refers to is protected`],
  113: ["files that run code later", `${bwrap} > names that the settings add are protected like the others`],
  400: [
    "datagram sockets outside, from a socket pair",
    `${escapes} > datagram sockets outside: not reached from a socket pair either`,
    `${filter} > the filter's answers, instruction by instruction`,
  ],
  401: ["files with a set-user-ID or set-group-ID bit", `${filter} > no file gets a set-user-ID or set-group-ID bit, by any call`],
  402: [
    "files with secrets outside the server's home",
    "src/exec/sandbox/secret-files.test.ts > cannot be read wherever they lie, in no mode, by no name",
    "src/exec/sandbox/secret-files.test.ts > one that is replaced while a command runs stays hidden",
  ],
  403: [
    "hiding a nested repository behind decoys, depth, packages or another command",
    `${nested} > decoys, deep folders and folders of packages hide no repository`,
    `${nested} > too many to protect one by one are protected with the folder around them`,
    `${nested} > where nothing can be held together, commands are refused with the way out`,
    `${nested} > a repository that appears while another command runs is protected from the next one`,
    `${nested} > a repository whose .git is a link is held with its folder`,
  ],
  404: [
    "hooks and settings of bare repositories",
    `${nested} > bare repositories are known by what is in them`,
    `${nested} > a workspace that is itself a bare repository keeps its hooks and settings`,
  ],
  405: [
    "settings and skills of folders below the root",
    `${nested} > settings and skills of a folder below the root cannot be changed, replaced or moved`,
  ],
  406: [
    "processes, threads, files, memory or disk without end",
    `${limits} > one that starts processes without end is stopped with a word that says why, and the next one runs`,
    `${limits} > one that starts threads without end, too`,
    `${limits} > open files, the size of files and memory are limited where the settings say so`,
    `${limits} > when memory runs out, the command goes before the server`,
    `${limits} > one that doubles again and again is ended as a whole with the reason, and holds up nobody meanwhile`,
    `${limits} > one that takes most of the memory is ended before the kernel has to choose; a small one runs on`,
    `${limits} > one that fills the sandbox's shared memory, too`,
    `${limits} > one that fills the disk is ended with the reason, and one beside it that writes little runs on`,
    "test/faults/used-up.itest.ts > a server answers while a command doubles its processes, and ends it with the reason",
  ],
  407: [
    "what is left when server and helper are killed at once",
    "src/exec/leftovers.test.ts > stand-ins go, with leases of the dead or without; all else stays",
    "src/exec/leftovers.test.ts > stand-ins of a dead server with another home go from the temporary folder, which all share",
    "src/exec/leftovers.test.ts > are in a temporary folder while a command runs, and gone long before anything else of it is",
    "src/exec/leftovers.test.ts > a confined command without its server is ended; one of a living server and other programs go on",
    "test/faults/double-kill.itest.ts > at no moment does a command outlive the next server's start",
    "src/exec/spare-process-helper.test.ts > ends with a server that is killed",
  ],
  408: [
    "swapping a folder for a link while another sandbox is made",
    "src/exec/sandbox/swaps.test.ts > as a writable root or a folder in one they never open the outside",
    "src/exec/sandbox/swaps.test.ts > a link that an earlier command put in the place of a later one's root is refused",
  ],
  409: [
    "disks that are mounted while a command runs",
    "src/exec/sandbox/propagation.test.ts > a disk that is mounted while a command runs does not appear in its sandbox",
  ],
  412: [
    "hooks that a repository's settings keep outside its own folder",
    `${nested} > hooks that a repository keeps in a folder of the workspace cannot be changed, nor made where they are missing`,
  ],
  411: [
    "leases on files outside, and the limits, segments and queues of other programs",
    `${filter} > no lease on a file, no limit of the server, no queue of other programs`,
    `${filter} > the filter's answers, instruction by instruction`,
  ],
  410: [
    "orders to services through named pipes",
    `${escapes} > named pipes of the system take nothing, in no mode`,
    `${escapes} > named pipes anywhere outside the writable folders take nothing, in no mode; those in them do`,
    "src/exec/sandbox/engines/landlock-step.test.ts > allows what the rules say and nothing else",
    "src/exec/sandbox/engines/landlock-step.test.ts > is left out if its program cannot be stored",
  ],
  413: [
    "other hosts than those that a profile lists, by every way out",
    `${hosts} > has no other network, and no trace of the way in`,
    `${hosts} > reaches what is allowed, and hears in its output what was not`,
    `${proxy} > denied wins, private addresses need their own entry, names are looked up once and only when they are allowed`,
    `${forms} > a host has one form, however it is spelled`,
  ],
  414: ["a name that leads elsewhere after it was checked", `${proxy} > the address that was checked is the one that is connected to`],
  415: ["requests to the proxy that mean two hosts", `${proxy} > requests that mean two things are refused before anything is reached`],
  416: [
    "flooding the proxy, and keeping its connections",
    `${hosts} > ten thousand connections leave the server as it was`,
    `${proxy} > floods are bounded: connections, requests ahead, targets, questions`,
    `${proxy} > ends with the command: open tunnels, waiting questions and the listener`,
  ],
  417: [
    "the proxy of another command",
    `${hosts} > with a terminal, in the background, one after another, and twice at a time`,
    `${hosts} > each asks for itself, and nothing of it outlives it`,
  ],
  418: [
    "login files that set what a later command may write",
    `${logins} > a TMPDIR that login files set makes nothing writable`,
    `${logins} > a HOME that login files set makes nothing writable`,
    `${logins} > a capture has no wider rights than the command`,
  ],
};
