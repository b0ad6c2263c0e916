/** What `parley exec --help` says. */
import { configFlag, featureFlags, type Help, logFlag } from "../help/text.ts";

export const help = {
  summary: "Run one turn without a person, for scripts and CI",
  says: [
    'The final message goes to stdout, the transcript to stderr. The prompt is read from stdin when it is left out or "-"; input on stdin beside a prompt is added to it. Nobody is there to be asked: what would need an approval is refused.',
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
    { name: "json", says: "One JSON event a line on stdout" },
    { name: "model", short: "m", value: "MODEL", says: "The model" },
    { name: "profile", short: "p", value: "NAME", says: "A profile of config.toml" },
    configFlag,
    ...featureFlags,
    { name: "oss", says: "A local model (--local-provider names the server)" },
    { name: "local-provider", value: "NAME", says: "ollama, lmstudio, llamacpp or vllm" },
    {
      name: "sandbox",
      short: "s",
      value: "MODE",
      choices: ["read-only", "workspace-write", "danger-full-access"],
      says: "read-only, workspace-write or danger-full-access",
    },
    { name: "cd", short: "C", value: "DIR", says: "The folder to work in" },
    { name: "add-dir", value: "DIR", many: true, says: "Another folder that may be written; repeatable" },
    { name: "worktree", says: "Work in a new git worktree, under ~/.local/share/parley, at the commit that is checked out; it stays" },
    { name: "image", short: "i", value: "FILE", many: true, says: "An image for the message; several files, with commas, or repeated" },
    { name: "output-schema", value: "FILE", says: "A JSON Schema for the final message" },
    { name: "output-last-message", short: "o", value: "FILE", says: "Write the final message to a file" },
    { name: "ephemeral", says: "Store nothing" },
    { name: "skip-git-repo-check", says: "Run outside a git repository too" },
    { name: "color", value: "WHEN", choices: ["always", "never", "auto"], says: "always, never or auto" },
    { name: "ignore-user-config", says: "Leave the user's config.toml aside; the account stays" },
    { name: "dangerously-bypass-hook-trust", says: "Run every hook that the settings name, trusted or not" },
    { name: "ignore-rules", says: "Read no .rules files, neither the user's nor the project's" },
    { name: "strict-config", says: "Refuse to start when config.toml holds keys that are not known" },
    { name: "thread-source", value: "NAME", says: "Kept with the thread, for lists" },
    { name: "full-auto", says: "The same as --sandbox workspace-write" },
    { name: "dangerously-bypass-approvals-and-sandbox", says: "No sandbox and no questions (also --yolo)" },
    logFlag,
    { name: "version", short: "V", says: "Print the version" },
  ],
  groups: {
    "resume and review": [
      { name: "last", says: "The newest session of this folder; where there is none, a new one" },
      { name: "all", says: "With --last: the newest session of any folder" },
      { name: "uncommitted", says: "Review what is not committed (the default)" },
      { name: "base", value: "BRANCH", says: "Review what differs from a branch" },
      { name: "commit", value: "SHA", says: "Review one commit" },
      { name: "title", value: "TEXT", says: "Its title" },
    ],
    "Other spellings": [
      { name: "experimental-json", says: "The same as --json" },
      { name: "yolo", says: "The same as --dangerously-bypass-approvals-and-sandbox" },
      { name: "approve-for-me", says: "The same as --full-auto" },
      { name: "cyber-access-program", value: "NAME", says: "Taken for the sake of other programs' command lines; changes nothing" },
      { name: "include-plan-tool", says: "The same: the plan tool is always there" },
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
  says: ["The same as `parley exec review`: the review goes to stdout, the transcript to stderr."],
  usage: ["[OPTIONS] [--uncommitted | --base BRANCH | --commit SHA] [INSTRUCTIONS]"],
  flags: help.flags,
  groups: help.groups,
  exitCodes: help.exitCodes,
  examples: [
    ["parley review", "What is not committed"],
    ["parley review --base main", "What differs from a branch"],
  ],
} as const satisfies Help;
