/** The help text of `parley tui`, `parley resume` and `parley fork`. */
import { configFlag, type FlagHelp, featureFlags, type Help, logFlag } from "../help/text.ts";

const flags = [
  { name: "cd", short: "C", value: "DIR", text: "Work in this folder instead of the current one" },
  { name: "model", short: "m", value: "MODEL", text: "The model" },
  {
    name: "sandbox",
    short: "s",
    value: "MODE",
    choices: ["read-only", "workspace-write", "danger-full-access"],
    text: "read-only, workspace-write or danger-full-access",
  },
  {
    name: "ask-for-approval",
    short: "a",
    value: "WHEN",
    choices: ["untrusted", "on-failure", "on-request", "never"],
    text: "untrusted asks about every command that is not known to be harmless, on-request when it wants to leave the sandbox",
  },
  { name: "add-dir", value: "DIR", many: true, text: "Another folder that may be written; repeatable" },
  { name: "worktree", text: "Work in a new git worktree, under ~/.local/share/parley, at the commit that is checked out; it stays" },
  { name: "search", text: "Let the model's provider search the web" },
  { name: "image", short: "i", value: "FILE", many: true, text: "A picture for the first message; repeatable" },
  { name: "profile", short: "p", value: "NAME", text: "A profile of config.toml" },
  configFlag,
  ...featureFlags,
  { name: "oss", text: "A local model (--local-provider names the server)" },
  { name: "local-provider", value: "NAME", text: "ollama, lmstudio, llamacpp or vllm; implies --oss" },
  { name: "remote", value: "URL", text: "A running server: ws://HOST:PORT, wss://… or unix://PATH" },
  { name: "remote-auth-token-env", value: "VARIABLE", text: "The environment variable that contains the token for that server" },
  { name: "no-alt-screen", text: "Never use the terminal's alternate screen: long texts go into the scrollback" },
  { name: "screen-reader", text: "No boxes and no moving parts, text instead of symbols" },
  { name: "last", text: "With resume and fork: the newest session" },
  { name: "all", text: "With resume and fork: sessions of every folder, which the list always has" },
  { name: "include-non-interactive", text: "With resume: sessions of exec too, which the list always has" },
  { name: "full-auto", text: "The same as --sandbox workspace-write --ask-for-approval on-request" },
  { name: "dangerously-bypass-approvals-and-sandbox", text: "No sandbox and no questions (also --yolo)" },
  { name: "yolo", text: "The same as --dangerously-bypass-approvals-and-sandbox" },
  { name: "approve-for-me", text: "As --full-auto, and a model reviews what needs an approval" },
  { name: "dangerously-bypass-hook-trust", text: "Run every hook that the settings name, trusted or not" },
  { name: "strict-config", text: "Refuse to start when config.toml contains unknown keys" },
  { name: "no-daemon", text: "Accepted for compatibility with other programs; no effect" },
  logFlag,
] as const satisfies readonly FlagHelp[];

export const help = {
  summary: "Talk to the agent in the terminal (also without a command)",
  text: [
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
  text: ["Without a session id or --last it shows a list to choose from."],
  usage: ['[OPTIONS] [SESSION_ID | --last] ["PROMPT"]'],
  flags,
  examples: [
    ["parley resume", "Choose from a list"],
    ['parley resume --last "go on"', "The newest one, with a message"],
  ],
} as const satisfies Help;

export const forkHelp = {
  summary: "Go on with a copy of an earlier session in the terminal",
  text: ["Without a session id or --last it shows a list to choose from. The session that is copied stays as it is."],
  usage: ['[OPTIONS] [SESSION_ID | --last] ["PROMPT"]'],
  flags,
  examples: [["parley fork --last", "A copy of the newest session"]],
} as const satisfies Help;
