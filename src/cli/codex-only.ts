/** What Codex's command line has and Parley's has not, with the reason or what does it here: for users and scripts that come from there. */

const relay = "there is no relay to other machines; `parley manager` serves them a page and an API";
const cloud = "cloud tasks are a service of OpenAI's";
const files = "not needed: threads stay one file each, which every version reads";

const commands: Readonly<Record<string, string>> = {
  agents: "`parley manager` shows every session, and /agents in the terminal the sub-agents of one",
  app: "there is no desktop app; `parley manager` opens a page in the browser",
  apply: cloud,
  "app-server daemon bootstrap": "`parley app-server daemon start` starts the server; nothing has to be installed for it",
  "app-server daemon disable-remote-control": relay,
  "app-server daemon enable-remote-control": relay,
  "app-server daemon update": "the package manager that installed Parley updates it; then `parley app-server daemon restart`",
  "app-server generate-internal-json-schema":
    "`parley app-server generate-json-schema` writes the protocol's schemas; rollout files have none",
  cloud,
  "debug app-server": '`parley exec --json "…"` sends one message and prints the events',
  "debug models": "model/list of the server has them as JSON",
  "debug prompt-input": "point base_url of a model provider at a server of yours to see each request",
  "exec-server": "there are no remote environments",
  "migrate-nfs-db": files,
  "migrate-rollouts": files,
  "remote-control": relay,
  "responses-api-proxy": "set base_url of a model provider instead",
  "stdio-to-uds": "`parley app-server proxy` connects stdio to a server's socket",
  "sandbox uninstall": "there is nothing to remove: no accounts and no network rules are made",
  update: "the package manager that installed Parley updates it",
};

const managed = "the administrator's requirements always count";
const tokens = "sign in with `parley login`, or give a provider's key with --with-api-key";
const state = "the state of a sandbox is an inner format of Codex's; -P names a permission profile";

const keepsFolder = "the thread keeps the folder that it works in";

const flags: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "app-server": {
    "cloud-skills-snapshot": "there is no service for skills",
    "code-mode-host": "models get every tool as a tool of its own, and no host for code",
    "print-startup-config": "`parley doctor` checks the settings; configRequirements/read of the server has the requirements as JSON",
    "startup-sign-out": "run `parley logout` first",
  },
  debug: { bundled: "the catalogue of models is part of the program" },
  doctor: {
    all: "lists are always shown in full",
    ascii: "the output has no other characters",
    "network-only": "all checks run at once; --json has them by name",
    "no-color": "the output has no colors",
    summary: "each check is one line already",
  },
  execpolicy: { "resolve-host-executables": "a program named by its path is matched by its path alone" },
  login: { "with-access-token": tokens },
  queue: { C: keepsFolder, cd: keepsFolder, "strict-config": "`parley doctor` names unknown keys" },
  sandbox: {
    "include-managed-config": managed,
    "sandbox-state-disable-network": state,
    "sandbox-state-json": state,
    "sandbox-state-readable-root": state,
  },
};

/** A sentence about a command or flag of Codex's that is not here; undefined for all others. `names` are the subcommands. */
export function aboutCodex(names: readonly string[], unknown: string): string | undefined {
  if (!unknown.startsWith("-")) return commands[[...names, unknown].join(" ")] ?? commands[unknown];
  const name = unknown.replace(/^-+/, "");
  const [command = ""] = names;
  const known = Object.hasOwn(flags, command) ? flags[command]?.[name] : undefined;
  if (known !== undefined) return known;
  if (onFiles.includes(command)) return "it works on the threads of this home, and flags of a session mean nothing to it";
  return ofTheAgent.test(unknown) ? `write it before the command, where it counts: parley ${unknown} … ${command}` : undefined;
}

/** Codex takes all flags of its terminal here, too. */
const onFiles = ["archive", "unarchive", "delete"];
/** Flags of the agent that Codex takes after every subcommand. */
const ofTheAgent = /^(?:-[pms]|--(?:profile|model|sandbox))$/;
