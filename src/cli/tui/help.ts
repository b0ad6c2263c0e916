/** What `parley tui --help`, `parley resume --help` and `parley fork --help` say. */
import { configFlag, type FlagHelp, featureFlags, type Help, logFlag } from "../help/text.ts";

const flags = [
  { name: "cd", short: "C", value: "DIR", says: "Work in this folder instead of the current one" },
  { name: "model", short: "m", value: "MODEL", says: "The model" },
  {
    name: "sandbox",
    short: "s",
    value: "MODE",
    choices: ["read-only", "workspace-write", "danger-full-access"],
    says: "read-only, workspace-write or danger-full-access",
  },
  {
    name: "ask-for-approval",
    short: "a",
    value: "WHEN",
    choices: ["untrusted", "on-failure", "on-request", "never"],
    says: "untrusted asks about every command that is not known to be harmless, on-request when it wants to leave the sandbox",
  },
  { name: "add-dir", value: "DIR", many: true, says: "Another folder that may be written; repeatable" },
  { name: "worktree", says: "Work in a new git worktree, under ~/.local/share/parley, at the commit that is checked out; it stays" },
  { name: "search", says: "Let the model's provider search the web" },
  { name: "image", short: "i", value: "FILE", many: true, says: "A picture for the first message; repeatable" },
  { name: "profile", short: "p", value: "NAME", says: "A profile of config.toml" },
  configFlag,
  ...featureFlags,
  { name: "oss", says: "A local model (--local-provider names the server)" },
  { name: "local-provider", value: "NAME", says: "ollama, lmstudio, llamacpp or vllm" },
  { name: "remote", value: "URL", says: "A running server: ws://HOST:PORT, wss://… or unix://PATH" },
  { name: "remote-auth-token-env", value: "VARIABLE", says: "The variable that holds the token for that server" },
  { name: "no-alt-screen", says: "Never use the terminal's second screen: long texts go into the scrollback" },
  { name: "screen-reader", says: "No boxes and no moving parts, words instead of marks" },
  { name: "last", says: "With resume and fork: the newest session" },
  { name: "full-auto", says: "The same as --sandbox workspace-write --ask-for-approval on-request" },
  { name: "dangerously-bypass-approvals-and-sandbox", says: "No sandbox and no questions (also --yolo)" },
  { name: "yolo", says: "The same as --dangerously-bypass-approvals-and-sandbox" },
  { name: "approve-for-me", says: "The same as --full-auto" },
  { name: "dangerously-bypass-hook-trust", says: "Run every hook that the settings name, trusted or not" },
  { name: "strict-config", says: "Refuse to start when config.toml holds keys that are not known" },
  { name: "no-daemon", says: "Taken for the sake of other programs' command lines; changes nothing" },
  logFlag,
] as const satisfies readonly FlagHelp[];

export const help = {
  summary: "Talk to the agent in the terminal (also without a command)",
  says: [
    "Without a terminal, parley alone prints the list of commands.",
    "Colours follow the terminal's background; PARLEY_THEME=light or dark decides it, NO_COLOR=1 switches them off.",
  ],
  usage: ['[OPTIONS] ["PROMPT"]', '[OPTIONS] resume [SESSION_ID | --last] ["PROMPT"]', '[OPTIONS] fork [SESSION_ID | --last] ["PROMPT"]'],
  completions: ["resume", "fork"],
  flags,
  examples: [
    ["parley", "Begin in the folder you are in"],
    ['parley "why does the build fail?"', "With a first message"],
    ["parley --remote ws://127.0.0.1:4500", "On a server that is running"],
  ],
} as const satisfies Help;

export const resumeHelp = {
  summary: "Go on with an earlier session in the terminal",
  says: ["Without a session id or --last it shows a list to choose from."],
  usage: ['[OPTIONS] [SESSION_ID | --last] ["PROMPT"]'],
  flags,
  examples: [
    ["parley resume", "Choose from a list"],
    ['parley resume --last "go on"', "The newest one, with a message"],
  ],
} as const satisfies Help;

export const forkHelp = {
  summary: "Go on with a copy of an earlier session in the terminal",
  says: ["Without a session id or --last it shows a list to choose from. The session that is copied stays as it is."],
  usage: ['[OPTIONS] [SESSION_ID | --last] ["PROMPT"]'],
  flags,
  examples: [["parley fork --last", "A copy of the newest session"]],
} as const satisfies Help;
