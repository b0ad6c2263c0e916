/** The help text of `parley exec`. */
import { configFlag, featureFlags, type Help, logFlag } from "../help/text.ts";

export const help = {
  summary: "Run one turn without a person, for scripts and CI",
  text: [
    'The final message goes to stdout, the transcript to stderr. The prompt is read from stdin when it is left out or "-"; input on stdin beside a prompt is added to it. It never asks: whatever needs an approval is refused.',
    "A SESSION is an id, the first letters of one, or a name. A fork without a prompt is made and left as it is.",
  ],
  usage: [
    "[OPTIONS] [PROMPT]",
    "[OPTIONS] resume <SESSION | --last> [PROMPT]",
    "[OPTIONS] fork <SESSION> [PROMPT]",
    "[OPTIONS] review [--uncommitted | --base BRANCH | --commit SHA] [INSTRUCTIONS]",
  ],
  completions: ["resume", "fork", "review"],
  flags: [
    { name: "json", text: "One JSON event a line on stdout" },
    { name: "model", short: "m", value: "MODEL", text: "The model" },
    { name: "profile", short: "p", value: "NAME", text: "A profile of config.toml" },
    configFlag,
    ...featureFlags,
    { name: "oss", text: "A local model (--local-provider names the server)" },
    { name: "local-provider", value: "NAME", text: "ollama, lmstudio, llamacpp or vllm; implies --oss" },
    {
      name: "sandbox",
      short: "s",
      value: "MODE",
      choices: ["read-only", "workspace-write", "danger-full-access"],
      text: "read-only, workspace-write or danger-full-access",
    },
    { name: "cd", short: "C", value: "DIR", text: "The folder to work in" },
    { name: "add-dir", value: "DIR", many: true, text: "Another folder that may be written; repeatable" },
    { name: "worktree", text: "Work in a new git worktree, under ~/.local/share/parley, at the commit that is checked out; it stays" },
    { name: "image", short: "i", value: "FILE", many: true, text: "An image for the message; several files, with commas, or repeated" },
    { name: "output-schema", value: "FILE", text: "A JSON Schema for the final message" },
    { name: "output-last-message", short: "o", value: "FILE", text: "Write the final message to a file" },
    { name: "ephemeral", text: "Store nothing" },
    { name: "skip-git-repo-check", text: "Run outside a git repository too" },
    { name: "color", value: "WHEN", choices: ["always", "never", "auto"], text: "always, never or auto" },
    { name: "ignore-user-config", text: "Ignore the user's config.toml; the account stays" },
    { name: "dangerously-bypass-hook-trust", text: "Run every hook that the settings name, trusted or not" },
    { name: "ignore-rules", text: "Read no .rules files, neither the user's nor the project's" },
    { name: "strict-config", text: "Refuse to start when config.toml contains unknown keys" },
    { name: "thread-source", value: "NAME", text: "Stored with the thread, for lists" },
    { name: "full-auto", text: "The same as --sandbox workspace-write" },
    { name: "dangerously-bypass-approvals-and-sandbox", text: "No sandbox and no questions (also --yolo)" },
    logFlag,
    { name: "version", short: "V", text: "Print the version" },
  ],
  groups: {
    "resume and review": [
      { name: "last", text: "The newest session of this folder; where there is none, a new one" },
      { name: "all", text: "With --last: the newest session of any folder" },
      { name: "uncommitted", text: "Review what is not committed (the default)" },
      { name: "base", value: "BRANCH", text: "Review what differs from a branch" },
      { name: "commit", value: "SHA", text: "Review one commit" },
      { name: "title", value: "TEXT", text: "Its title" },
    ],
    "Other spellings": [
      { name: "experimental-json", text: "The same as --json" },
      { name: "yolo", text: "The same as --dangerously-bypass-approvals-and-sandbox" },
      { name: "approve-for-me", text: "As --full-auto, and a model reviews what needs an approval" },
      { name: "cyber-access-program", value: "NAME", text: "Accepted for compatibility with other programs; no effect" },
      { name: "include-plan-tool", text: "The same: the plan tool is always there" },
    ],
  },
  exitCodes: "0 the turn completed, 1 it failed or could not start, 2 the command line is wrong",
  examples: [
    ['parley exec "explain the failing test"', "Ask about the repository you are in"],
    ['git diff | parley exec --json "review this"', "With input, as events"],
    ['parley exec resume --last "now fix it"', "Go on with the newest session"],
    ["parley exec review --base main -o review.md", "A review of a branch, into a file"],
  ],
} as const satisfies Help;

export const reviewHelp = {
  summary: "Review changes without a person",
  text: ["The same as `parley exec review`: the review goes to stdout, the transcript to stderr."],
  usage: ["[OPTIONS] [--uncommitted | --base BRANCH | --commit SHA] [INSTRUCTIONS]"],
  flags: help.flags,
  groups: help.groups,
  exitCodes: help.exitCodes,
  examples: [
    ["parley review", "What is not committed"],
    ["parley review --base main", "What differs from a branch"],
  ],
} as const satisfies Help;
