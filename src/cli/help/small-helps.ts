/** The help texts of the small subcommands. */
import { agentFlags, configFlag, fleetFileFlag, type Help, jsonFlag } from "./text.ts";

export const loginHelp = {
  summary: "Sign in, set up a model provider, or say who is signed in (login status)",
  text: [
    "Without a provider it signs in to the account that pays for the built-in provider openai, in the browser. With a provider it asks for its key, tries it with one short question to the model, keeps it, and makes the provider and its model what new sessions use. Servers on this machine (ollama, lmstudio, llamacpp, vllm) need no key and are asked for their models.",
    "Providers: openai, anthropic, amazon-bedrock, gemini, openrouter, groq, mistral, deepseek, xai, together, fireworks, cerebras, moonshot, zai, ollama, lmstudio, llamacpp, vllm, and your own tables of config.toml. A key in the environment (ANTHROPIC_API_KEY and so on) counts before a stored one.",
    "The account is kept in auth.json and the other keys in parley/keys.json of the home folder, readable by their owner only; cli_auth_credentials_store in config.toml puts them into the system's keyring instead.",
  ],
  usage: ["[OPTIONS]", "PROVIDER [--model MODEL] [--no-check]", "status"],
  completions: ["status"],
  flags: [
    { name: "model", short: "m", value: "MODEL", text: "With a provider: this model instead of its usual one" },
    { name: "no-check", text: "With a provider: keep the key without trying it" },
    { name: "with-api-key", text: "Read an API key from stdin, as a provider's key always is where nobody can type it" },
    { name: "device-auth", text: "Sign in on another device, with a code" },
    configFlag,
  ],
  exitCodes: "0 signed in, 1 not (status: nobody is signed in), 2 the command line is wrong",
  examples: [
    ["printenv OPENAI_API_KEY | parley login --with-api-key", "Store a key without showing it to other users of the machine"],
    ["parley login anthropic", "Ask for a key of Anthropic's, try it, and use Claude from now on"],
    ["printenv GROQ_API_KEY | parley login groq --model openai/gpt-oss-20b", "The same from a script, with a model of your choice"],
    ["parley login status", "Who is signed in"],
  ],
} as const satisfies Help;

export const logoutHelp = {
  summary: "Forget the account and all stored keys, or the key of one provider",
  usage: ["[PROVIDER]"],
  flags: [configFlag],
  examples: [
    ["parley logout", "Remove what parley login stored"],
    ["parley logout anthropic", "Remove one key; a provider that was chosen for it is chosen no more"],
  ],
} as const satisfies Help;

export const workerHelp = {
  summary: "Run threads for a fleet: many machines on one PostgreSQL",
  text: [
    "A worker joins the fleet whose engine PARLEY_FLEET or --fleet-file names, and runs the threads of its teams. Fronts (parley manager --fleet) are its only clients. Settings, keys of providers and skills are those of this machine.",
    "SIGTERM lets it leave: it takes nothing new, gives up idle threads and those that wait for a person, lets running turns end, and exits with 0. A second SIGTERM ends it at once. When it is killed or hangs, other workers take its threads over.",
  ],
  usage: ["--name NAME --listen ws://IP:PORT [OPTIONS]"],
  flags: [
    { name: "name", value: "NAME", text: "Its name in the fleet; no two workers have the same at once" },
    {
      name: "listen",
      value: "URL",
      text: "Where fronts reach it: ws://127.0.0.1:PORT, or wss://IP:PORT with a certificate; port 0 takes a free one",
    },
    { name: "label", value: "LABEL", many: true, text: "What only some workers have, such as gpu; threads may ask for it; repeatable" },
    { name: "team", value: "TEAM", many: true, text: "Serve this team alone; the engine shows it nothing of others; repeatable" },
    { name: "max-threads", value: "N", text: "Hold at most so many threads at once" },
    { name: "tls-cert", value: "FILE", text: "Serve over TLS; needed for addresses that others can reach" },
    { name: "tls-key", value: "FILE", text: "The certificate's key" },
    fleetFileFlag,
    ...agentFlags,
  ],
  exitCodes: "0 it has left the fleet, 1 it could not join, 2 the command line is wrong",
  examples: [
    ["parley worker --name w1 --listen ws://127.0.0.1:0", "A worker beside its front"],
    ["parley worker --name gpu1 --listen wss://10.0.0.7:4600 --tls-cert c.pem --tls-key k.pem --label gpu", "On a host of its own"],
  ],
} as const satisfies Help;

export const queueHelp = {
  summary: "Leave a message that a thread works on as soon as it is idle",
  text: [
    "The message waits in the thread's queue, which all clients of the thread see and can change. A server that has the thread open starts it when the running turn has completed or failed, and what waits before it is done; otherwise it starts when somebody opens the thread. After an interrupt it waits until somebody starts it.",
  ],
  usage: ["--thread THREAD --message TEXT [OPTIONS]"],
  flags: [
    { name: "thread", value: "THREAD", text: "The thread: its id, the first letters of it, or its name" },
    { name: "message", value: "TEXT", text: "What to work on" },
    {
      name: "resume",
      text: "Also open the thread at the --remote server, or at the one of `parley app-server daemon`, which then starts it",
    },
    { name: "remote", value: "URL", text: "A running server: ws://HOST:PORT, wss://… or unix://PATH" },
    { name: "remote-auth-token-env", value: "VARIABLE", text: "The environment variable that contains the token for that server" },
    jsonFlag,
    configFlag,
  ],
  exitCodes: "0 it waits, 1 it could not be queued, 2 the command line is wrong",
  examples: [['parley queue --thread 0199a3f0 --message "Then run the tests"', "When the thread has done what it is doing"]],
} as const satisfies Help;

export const trustHelp = {
  summary: "Trust this folder's project, or accept what changed in it",
  text: [
    "A trusted project's settings, rules, MCP servers and skills count as they were when you trusted it. What comes later, changes, or lies in .codex and .agents folders below the project's root does not count until you accept it here. What only narrows (a stricter sandbox, rules that forbid) counts at once.",
    'Shows what waits and asks. A client that writes projects.<path>.trust_level = "trusted" accepts in the same way.',
  ],
  usage: ["[--check | --yes] [--json] [-C DIR]"],
  flags: [
    { name: "check", text: "Only show what waits" },
    { name: "yes", short: "y", text: "Accept without a question" },
    { name: "cd", short: "C", value: "DIR", text: "Another folder than this one" },
    jsonFlag,
    configFlag,
  ],
  exitCodes: "0 nothing waits or all was accepted, 1 something waits (--check) or was not accepted, 2 the command line is wrong",
  examples: [
    ["parley trust", "Look at what waits in this folder's project, and accept it"],
    ["parley trust --check", "For scripts: does anything wait?"],
  ],
} as const satisfies Help;

export const hooksHelp = {
  summary: "List the hooks that the settings name, and trust them or switch them off",
  text: [
    "Hooks are programs and MCP tools that run at certain moments of a session, outside the sandbox and with your rights. One that is new or has changed does not run until you trust it as it is.",
    "HOOK is a number or a key of the list. docs/hooks.md has the events, what hooks read and what they may say.",
  ],
  usage: ["[list] [--json] [-C DIR]", "trust | distrust | on | off HOOK... | --all [--yes] [-C DIR]"],
  flags: [
    { name: "all", text: "All hooks but the administrator's" },
    { name: "yes", short: "y", text: "Trust without a question" },
    { name: "cd", short: "C", value: "DIR", text: "Another folder than this one" },
    jsonFlag,
    configFlag,
  ],
  exitCodes: "0 done, 1 nothing was changed, 2 the command line is wrong",
  examples: [
    ["parley hooks", "What would run, and when"],
    ["parley hooks trust 1 2", "Let the first two run as they are now"],
  ],
} as const satisfies Help;

export const doctorHelp = {
  summary: "Say what works on this machine, with the fix for what does not",
  text: [
    "Checks Node, the settings, the home folder, the sandbox, git, the model provider, MCP servers and skills of this folder.",
    "The provider's key is tried: the provider is asked for its list of models, which uses no tokens.",
  ],
  usage: ["[--json]"],
  flags: [jsonFlag, configFlag],
  exitCodes: "0 nothing must be mended, 1 something must, 2 the command line is wrong",
  examples: [
    ["parley doctor", "One line for each check"],
    ["parley doctor --json", "The same for programs"],
  ],
} as const satisfies Help;

export const tourHelp = {
  summary: "Show what the server does, offline, in a folder of its own",
  usage: [""],
  examples: [["parley tour", "A plan, a command, a patch, a question and a failure, with a scripted model"]],
} as const satisfies Help;

export const versionHelp = {
  summary: "Print the version",
  usage: [""],
  examples: [["parley --version", "The same"]],
} as const satisfies Help;

export const helpHelp = {
  summary: "Print the list of commands, or what one of them takes",
  usage: ["[COMMAND]..."],
  examples: [["parley help threads export", "The same as parley threads export --help"]],
} as const satisfies Help;

export const completionHelp = {
  summary: "Print a script that completes Parley's commands and flags in your shell",
  usage: ["<bash | zsh | fish>"],
  completions: ["bash", "zsh", "fish"],
  examples: [
    ["parley completion bash > ~/.local/share/bash-completion/completions/parley", "For bash, for good"],
    ["parley completion zsh > ~/.zfunc/_parley", "For zsh, in a folder that is on $fpath"],
    ["parley completion fish > ~/.config/fish/completions/parley.fish", "For fish"],
  ],
} as const satisfies Help;

export const debugHelp = {
  summary: "Pack what helps to find a fault",
  usage: ["bundle [--output <FILE>]"],
  commands: {
    bundle: {
      summary: "Pack version, system, doctor's findings, settings and logs into one file, without secrets",
      text: [
        "Keys, tokens, passwords and what looks like them are replaced by ***. Threads, prompts and file contents are left out. Look into the file before you pass it on: it is a plain tar.gz.",
      ],
      usage: ["[--output <FILE>]"],
      flags: [
        { name: "output", short: "o", value: "FILE", text: "Default: parley-debug-<time>.tar.gz in this folder; - for stdout" },
        jsonFlag,
        configFlag,
      ],
      examples: [["parley debug bundle", "A file to attach to a report"]],
    },
  },
  examples: [["parley debug bundle", "A file to attach to a report"]],
} as const satisfies Help;

export const acpHelp = {
  summary: "Serve an editor that speaks the Agent Client Protocol",
  text: [
    "For Zed, JetBrains, Neovim, Emacs and others that start their agents; speaks over stdin and stdout.",
    "Where the editor lets its files be read, the agent sees changes that are not saved yet; where it lets them be written, edits reach such files' text in the editor too.",
    "Commands run in Parley's sandbox, also when the editor offers terminals, since those have none; where the editor can show it, their output appears live in a terminal all the same. Only commands that leave the sandbox anyway (full access, or approved to run without it) run in the editor's own terminals.",
  ],
  usage: ["[OPTIONS]"],
  flags: agentFlags,
  notes: { "In Zed's settings.json": '"agent_servers": { "Parley": { "command": "parley", "args": ["acp"] } }' },
  exitCodes: "0 the editor has gone or a signal came, 1 it could not start, 2 the command line is wrong",
  examples: [["parley acp", "What the editor runs"]],
} as const satisfies Help;
