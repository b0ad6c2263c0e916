/** Writes docs/security.md from the tables of test/trust and the requirements, so that it names only existing tests. Serves scripts/generate.ts. */
import { landlockLimits } from "../src/exec/sandbox/engines/limits.ts";
import { requirements } from "../test/requirements.ts";
import { allCases, groups, type Proof, proofsIn } from "../test/trust/cases.ts";

const intro = `# Security cases

Generated from \`test/trust\` by \`npm run generate\`; do not edit. [SECURITY.md](../SECURITY.md) says what is promised to whom; this page says where each promise is tried.

${allCases.size} cases, drawn from advisories on agents, editors, sandboxes and tool servers. \`node scripts/test.ts\` runs every test of ours; ids such as
\`S20\` are cases of the shared suite, which \`.ci/run\` runs on the build where the suite is at hand (\`E\` cases on the websocket listener and on the manager).
\`test/trust-cases.test.ts\` fails when a case has neither a test that exists nor a reason why it cannot apply.
`;

const choices = `## Choices that these cases rest on

- **Clients of one server trust each other.** Whoever has the token may read every thread and answer every question; all who watch a thread hear who answered (case 160). On a machine that several people share, each runs a server of their own.
- **A live thread keeps its policy.** Resuming it with another policy changes nothing while others use it; the answer says what is in force. A thread that is opened from the disk never gets a wider policy than the settings and the request name (case 103).
- **An automatic reviewer only ever says yes in one form** (cases 506, 507). Its evidence is one JSON document, its tools read without a network, only the person's messages count as theirs, and an answer that is not exactly the agreed object, comes late, or calls a critical action allowed is no approval. It is still a model: whoever must not be talked round keeps \`approvals_reviewer = "user"\`, and \`allowed_approvals_reviewers\` of an administrator holds it there.
- **A browser needs two secrets.** Browsers send a host's cookies to every port of it, so the manager's cookie alone opens nothing: each call carries the page's own key as \`x-parley-key\`, the event stream as the protocol \`parley.key.…\`. The key is in the storage of the page's origin, which other ports cannot read. A device that was signed in before there were keys is told to sign in again (case 604).
- **Token files are refused** when they hold fewer than 22 characters or when anybody but their owner may read them; root's file may be readable by the service's group (case 163).
- **Repeated Host, Origin or Authorization headers are refused**, since whoever stands between may have looked at the other one (cases 139, 144).
- **A command may have 2,048 processes and threads**, or 256 for each processor where that is more; one that starts more is ended as a whole and told why (case 406). \`parley.command_limits\` sets another limit, and limits for open files, the size of files and memory. A command that has a quarter of the machine's memory when hardly any is left (3 %, at most 512 MB), or that has filled a disk which it may write up to the last 2 % (at most 100 MB), is ended with the reason; what it allocates at one stroke (\`fallocate\`) only the limit on the size of files holds. Should the kernel be faster, it ends the command first, and not the server. An interrupt, a time-out or the end of the server ends all of its processes at once (case 70).
- **Names that are missing are closed by empty folders**: a mount needs something to sit on, and Linux takes a mount down when the folder below it is removed, whoever removes it. They are on the disk only while a command runs, a few hundredths of a second longer in temporary folders, and what a killed server leaves is cleared by the next one (case 407). Which engine puts down what, and why, is below.
- **What a command makes new cannot be closed to it**: a repository or a \`.codex\` that it makes itself in a folder without one is its own while it runs. What was there when it started is read-only at every depth (cases 403 to 405), what it made is read-only for the next command, and settings count only once the person trusts them.
- **\`.git\`, \`.codex\` and \`.agents\` are always closed; further names by choice**: \`parley.protected_names = [".vscode", ".idea", ".envrc"]\` (case 113). Files that run code later are otherwise shown in the turn's diff.
- **Named pipes outside the writable folders take nothing** (case 410). A read-only mount does not keep anyone from writing into one, so Landlock is laid under the mounts, by bubblewrap's sandboxes as by our own. Where the kernel has no Landlock (Linux before 5.19, or without it among its security modules) only those under /run are closed, where services have them, and \`parley doctor\` says so.
- **Searching costs what the workspace is worth**: all folders are looked at before each command, those of packages (\`node_modules\`, \`.venv\`) once and then now and then. Above 250,000 folders, or where more than 256 repositories cannot be held together, commands that may write are refused (case 403). The temp folders are not searched.
- **A commit from a page or an editor runs no hooks** (cases 168, 169). Hooks and filters are programs that the repository names, and with \`core.hooksPath\` they lie among files that the agent edits: running them would lead out of the sandbox. A person with every right can ask for them commit by commit; what needs a filter (Git LFS) is refused by name otherwise. Pushing uses the user's own credentials and none of the repository's settings.
- **A command that is killed with its server cannot be taken back**: what it changed until then is known to nobody. What the commands before it changed can (case 325).
- **Of a single text of a model the first 8 MB are kept**, and an answer of more than 256 MB is given up (cases 55, 69).
`;

const limits = `## What a command may use up

| | bubblewrap and namespaces | Landlock |
|---|---|---|
| processes and threads | the server looks ten times a second, ends the command at its limit as a whole and says why; where \`processes\` is set, an eighth above it the kernel lets the command start no more (RLIMIT_NPROC in the sandbox's own user namespace; it does not bind root) | the server's look alone: without a namespace the kernel would count all of the user's processes |
| memory | the largest command is ended when hardly any is left, shared memory in its /dev/shm included; the kernel's choice falls on commands first (oom_score_adj); by choice \`memory_mb\` for each process (RLIMIT_DATA) | the same; there is no /dev/shm |
| disks | who fills one that commands may write is ended; by choice \`file_mb\` for each file (RLIMIT_FSIZE) | the same |
| open files | by choice \`open_files\` (RLIMIT_NOFILE) | the same |

Control groups would keep all of this in the kernel, but the group of an ordinary login is not its user's to write, containers mostly mount the groups read-only, and to ask the system's manager for one costs more than a command's whole start. So Parley sets the limits of each process and looks after the rest itself.
`;

const onDisk = `## What is on the disk while a command runs

\`.git\`, \`.codex\` and \`.agents\` must not come into being in a folder that a command may write. Where one of them is missing, its engine decides what that takes.

| engine | what it puts on the disk | how long | who takes it away |
|---|---|---|---|
| bubblewrap | an empty folder (mode 1711) for each missing name, at the root of the workspace and of the temporary folders, with a file in it that names the server | while a command runs; in the temporary folders a few hundredths of a second longer, for the next one | the server; its helper when the server is killed; the next server when both are, with the same home (all folders) or another one (the temporary folders) |
| namespaces, our own | the same | the same | the same |
| Landlock | nothing: it knows folders that are there, and no names. Commands that may write ask first | – | – |
| macOS (Seatbelt) | nothing: its rules name paths, whether they are there or not | – | – |

An engine of mounts cannot do without. The kernel mounts only on an entry that is there, the same entry for everybody who sees the disk; and when somebody removes it, the mount goes with it, in every sandbox. What would spare the entry costs more:

- a file system of its own over the workspace would keep new files from the person's disk, or, as an overlay whose upper layer is the workspace, must not be used while an editor beside it writes there;
- a system-call filter sees where a path lies in memory, not what it says, and another thread may change it after the look;
- Landlock under the mounts can forbid to make anything in a folder, not to make one name.

An empty folder in the place of \`.git\` is no repository: git passes over it. Nothing is left where a server ends by itself, is stopped or is killed alone (cases 38 and 407).
`;

const landlock = [
  "## What Landlock cannot do",
  "",
  "Where user namespaces are forbidden, commands are confined by Landlock and the system-call filter. Compared with the other engines it",
  "",
  ...landlockLimits.map(
    ({ text, cases }) => `- ${text}${cases.length === 0 ? "" : `; so these cases of the shared suite do not hold: ${cases.join(", ")}`}`,
  ),
  "",
].join("\n");

const profiles = `## What a permission profile can keep from commands

A profile (\`[permissions.<name>]\`, [config.md](config.md)) says what may be read, written and is denied. The longest path counts, and what none covers is denied. The same rules hold for commands, for patches, for \`view_image\` and attached images, and for what undo keeps. What is denied stays denied for the thread: when a person lets a command leave the sandbox, and after a switch to another profile or mode. A command that runs outside the sandbox under such a profile sees the whole disk but the denied paths, with a new /dev and /proc and without set-user-ID programs.

| | bubblewrap and namespaces | Landlock | macOS (Seatbelt) |
|---|---|---|---|
| denied outside the writable folders | yes | yes | yes |
| denied or read-only inside a writable folder | yes; the folders around it cannot be moved | commands are refused | yes |
| reading only what is named (no \`:root\`) | yes | yes, but all names can be listed | yes |
| denied by a pattern | the matching files are looked for before each command, as deep as \`glob_scan_max_depth\` says; above 500 of them or 400,000 entries commands are refused | the same, and refused where one is in a writable folder | by name, also files that come later |
| leaving the sandbox while something is denied | yes | refused | yes |
| a network of listed hosts | yes | no network, with a warning | no network, with a warning |

What this does not cover:

- A file that gets a denied name while a command runs, or that another program replaces meanwhile, can be read by that command on Linux: a mount hides what was there when it started.
- A second hard link to a denied file is another name for it, and is not denied.
- Hooks, MCP servers and the person's own commands (\`!\` in the terminal client) run as the person; names of denied files show in file search.
- \`.git\`, \`.codex\` and \`.agents\` stay read-only, whatever a profile says.

### Hosts

A profile whose \`network\` has \`enabled = true\` and lists hosts, or limits what is sent, gives commands a network of these hosts and no other; \`features.network_proxy\`, true or with the same keys, does so for every profile and for sandbox modes with a network. The sandbox keeps its own network namespace. Its first program opens one socket there (127.0.0.1:61080) and passes it to the server, which accepts the command's connections and is its only way out: no other command, user or program of the machine can reach that socket, nothing runs beside the command, and with the command's end the socket and every connection are closed. HTTP, CONNECT and SOCKS 5 are understood; the usual variables (\`HTTPS_PROXY\`, \`ALL_PROXY\` and others) name it, and \`NO_PROXY\` excepts what the command itself serves on its loopback. Datagrams, name lookups and unix sockets stay closed.

- A denial wins. Hosts are compared in one form: case, a trailing dot, punycode, and every spelling of an address (\`0x7f.1\`, \`2130706433\`, \`::ffff:127.0.0.1\`).
- This machine, its network and the addresses where clouds hand out keys are refused unless \`domains\` allows that very address, or \`allow_local_binding\` is on. A name that leads there is refused although it is allowed: it is looked up once, and the address that was checked is the one connected to. A name that is not allowed is not looked up, since a lookup alone can carry data out.
- A host that no entry names is asked about while the command waits (\`networkApprovalContext\`): once, which holds for that command and target; for the session; or as a rule in \`rules/default.rules\`. Where the policy allows no question it is refused. Rules (\`network_rule\`) and hooks decide before a person.
- A request that could mean two hosts is refused: another \`host\` header than its address, a name before an \`@\`, two lengths. Connections, headers, questions and targets of a command have limits.
- What was refused is at the end of the command's output, and every decision is in the audit log.
- The administrator's \`[experimental_network]\` in requirements.toml holds for every sandboxed command that has a network; \`managed_allowed_domains_only\` closes the list. Commands outside a sandbox are not filtered: forbid these with \`allowed_sandbox_modes\`.

What this does not cover: a host that is allowed may pass on what it is sent, and behind one address there may be several names (encrypted connections are not opened). Through the proxy of the server's own environment, names are resolved there. \`mode = "limited"\` therefore refuses everything encrypted.
`;

export function securityDocument(root: string): string {
  const proofsOf = proofsIn(root);
  const excused = [...allCases].flatMap(([n, row]) => ("cannotApply" in row ? [`- **${n}**, ${row.tries}: ${row.cannotApply}`] : []));
  const tables = groups.map(({ title, cases }) =>
    [
      `## ${title}`,
      "",
      "| case | what is tried | where |",
      "|---|---|---|",
      ...Object.entries(cases).flatMap(([n, row]) =>
        "cannotApply" in row ? [] : [`| ${n} | ${cell(row[0])} | ${proofsOf(Number(n)).map(shown).join("<br>")} |`],
      ),
      "",
    ].join("\n"),
  );
  const count = `${allCases.size - excused.length} of ${allCases.size} cases are tested${excused.length === 0 ? "; none is excused." : ". These cannot apply:"}`;
  return [intro, count, ...(excused.length === 0 ? [] : ["", ...excused]), "", choices, onDisk, limits, landlock, profiles, ...tables].join(
    "\n",
  );
}

function shown({ kind, name, file }: Proof): string {
  if (kind === "suite") return `suite ${name}`;
  const title = kind === "requirement" ? Object.entries(requirements).find(([id]) => id === name)?.[1].says : name;
  return `[${cell(title ?? name)}](../${file})`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("[", "\\[").replaceAll("]", "\\]").replaceAll("<", "&lt;");
