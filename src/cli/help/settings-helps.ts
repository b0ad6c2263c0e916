/** The help of `parley features`, `import`, `sandbox`, `execpolicy`, `archive`, `unarchive` and `delete`. */
import { help as threads } from "../threads/help.ts";
import { type Help, jsonFlag, settingsFlags } from "./text.ts";

const change = (name: "enable" | "disable", summary: string) =>
  ({
    summary,
    usage: ["<FEATURE>"],
    flags: settingsFlags,
    examples: [[`parley features ${name} multi_agent`, "For all later sessions"]],
  }) as const;

export const featuresHelp = {
  summary: "List feature flags and switch them on or off in config.toml",
  usage: ["<COMMAND>"],
  commands: {
    list: {
      summary: "List this server's features with their stage and state",
      usage: ["[--json]"],
      flags: [jsonFlag, ...settingsFlags],
      examples: [["parley features list", "One line each: name, stage, true or false"]],
    },
    enable: change("enable", "Switch a feature on in config.toml"),
    disable: change("disable", "Switch a feature off in config.toml"),
  },
  examples: [["parley features list", "What there is, and what is on"]],
} as const satisfies Help;

export const importHelp = {
  summary: "Move in from another agent: instructions, settings, skills, commands, agents, hooks and MCP servers",
  text: [
    "Reads ~/.claude, ~/.claude.json and the .claude folder of the project you are in. Nothing that exists is overwritten. Variables of its settings that look like secrets stay behind; an MCP server comes with the variables and headers it needs.",
    "Imported hooks do not run before you trust them (parley hooks), and imported MCP servers are switched off until you set enabled = true. Sessions, plugins and memories are not imported.",
  ],
  usage: ["[--yes] [--json]"],
  flags: [{ name: "yes", short: "y", text: "Do not ask; required without a terminal" }, jsonFlag, ...settingsFlags],
  examples: [
    ["parley import", "Shows what there is, and asks"],
    ["parley import --json", "Only shows it, for programs"],
  ],
} as const satisfies Help;

export const sandboxHelp = {
  summary: "Run a command in the sandbox that the agent's commands get",
  text: ["The command has this terminal's input and output. The settings choose the sandbox, unless a flag does."],
  usage: ["[OPTIONS] [--] <COMMAND>..."],
  flags: [
    { name: "permission-profile", short: "P", value: "NAME", text: "A permission profile of the settings" },
    {
      name: "sandbox",
      short: "s",
      value: "MODE",
      choices: ["read-only", "workspace-write", "danger-full-access"],
      text: "read-only, workspace-write or danger-full-access",
    },
    { name: "cd", short: "C", value: "DIR", text: "The working folder. Default: this one" },
    ...settingsFlags,
  ],
  exitCodes: "0 and all others are the command's own; 1 also when it could not be started, 2 when the command line is wrong",
  examples: [
    ["parley sandbox -s read-only -- touch x", "Is refused"],
    ["parley sandbox -P :workspace npm test", "With a profile"],
  ],
} as const satisfies Help;

export const execpolicyHelp = {
  summary: "Check rules files against a command",
  usage: ["check --rules <FILE> <COMMAND>..."],
  commands: {
    check: {
      summary: "Print which rules match a command, and the strictest decision, as JSON",
      usage: ["--rules <FILE>... [--pretty] [--] <COMMAND>..."],
      flags: [
        { name: "rules", short: "r", value: "FILE", many: true, text: "A rules file; repeatable" },
        { name: "pretty", text: "Print the JSON in several lines" },
      ],
      examples: [["parley execpolicy check --rules team.rules git push", '{"matchedRules":[…],"decision":"prompt"}']],
    },
  },
  examples: [["parley execpolicy check --rules team.rules git push", "For checks of rules files in CI"]],
} as const satisfies Help;

const { archive, delete: remove } = threads.commands;
const [, ...archiveFlags] = archive.flags;

export const archiveHelp = {
  summary: "Put threads away: parley threads archive",
  usage: ["<THREAD>..."],
  flags: archiveFlags,
  examples: [["parley archive --last", "It leaves the lists and stays on disk"]],
} as const satisfies Help;

export const unarchiveHelp = {
  summary: "Take threads out of the archive: parley threads archive --undo",
  usage: ["<THREAD>..."],
  flags: archiveFlags,
  examples: [["parley unarchive 019a", "The thread whose id starts with 019a"]],
} as const satisfies Help;

export const deleteHelp = {
  summary: "Delete threads for good: parley threads delete",
  usage: ["<THREAD>... [--force]"],
  flags: remove.flags,
  examples: [["parley delete --last --force", "Without a question"]],
} as const satisfies Help;
