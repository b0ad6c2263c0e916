/** The help text of `parley threads`. */
import { configFlag, type FlagHelp, type Help, jsonFlag } from "../help/text.ts";

const archived = { name: "archived", text: "Archived threads instead" } as const satisfies FlagHelp;
const limit = (standard: number) =>
  ({
    name: "limit",
    short: "n",
    value: "N",
    text: `At most so many; 0 for all. Default ${standard}`,
  }) as const;

export const help = {
  summary: "List, show, search, export, archive, delete and repair stored threads",
  text: [
    "Works on the threads under $CODEX_HOME, those of Codex too. A thread is named by its id, by the first letters of its id (4 or more), by its name, or by --last.",
  ],
  usage: ["<COMMAND>"],
  commands: {
    list: {
      summary: "List threads, the one changed last first",
      usage: ["[OPTIONS]"],
      flags: [
        limit(20),
        { name: "cwd", value: "DIR", text: "Only threads of this folder; . for the one you are in" },
        { name: "provider", value: "NAME", text: "Only threads of this model provider" },
        { name: "sort", value: "KEY", choices: ["updated", "created"], text: "updated (default) or created" },
        archived,
        jsonFlag,
        configFlag,
      ],
      examples: [
        ["parley threads list", "The newest twenty"],
        ["parley threads list --cwd . --json", "Those of this folder, for programs"],
      ],
    },
    show: {
      summary: "Show the messages and actions of a thread",
      usage: ["<THREAD | --last>"],
      flags: [
        { name: "last", text: "The thread changed last" },
        { name: "turns", value: "N", text: "Only the last so many turns" },
        { name: "color", value: "WHEN", choices: ["always", "never", "auto"], text: "always, never or auto" },
        jsonFlag,
        configFlag,
      ],
      examples: [["parley threads show --last", "The whole transcript of the newest thread"]],
    },
    search: {
      summary: "Find threads by their text",
      usage: ["<WORDS> [OPTIONS]"],
      flags: [limit(20), archived, jsonFlag, configFlag],
      examples: [['parley threads search "flaky test"', "Where was that again?"]],
    },
    export: {
      summary: "Write a thread as markdown, HTML or JSON",
      usage: ["<THREAD | --last> [--format <FORMAT>] [--output <FILE>]"],
      flags: [
        { name: "last", text: "The thread changed last" },
        {
          name: "format",
          short: "f",
          value: "FORMAT",
          choices: ["markdown", "html", "json"],
          text: "markdown, html or json. Default: what the output's ending says, else markdown",
        },
        { name: "output", short: "o", value: "FILE", text: "Default: stdout" },
        { name: "no-outputs", text: "Leave out what commands printed" },
        jsonFlag,
        configFlag,
      ],
      examples: [
        ["parley threads export --last -o thread.md", "As markdown"],
        ["parley threads export --last -o thread.html", "As one page without scripts, to pass on"],
      ],
    },
    archive: {
      summary: "Put threads away, or take them back",
      usage: ["<THREAD>... [--undo]"],
      flags: [
        { name: "undo", text: "Take them out of the archive" },
        { name: "last", text: "The thread changed last" },
        jsonFlag,
        configFlag,
      ],
      examples: [["parley threads archive --last", "It leaves the lists and stays on disk"]],
    },
    delete: {
      summary: "Delete threads for good",
      usage: ["<THREAD>... [--yes]"],
      flags: [
        { name: "yes", short: "y", text: "Do not ask; required without a terminal" },
        { name: "force", text: "The same as --yes" },
        { name: "last", text: "The thread changed last" },
        jsonFlag,
        configFlag,
      ],
      examples: [["parley threads delete --last --yes", "Without a question"]],
    },
    repair: {
      summary: "Write what can be read of a damaged thread into a copy; the damaged file stays as it is",
      usage: ["<THREAD | FILE> [--output <FILE>] [--check]"],
      flags: [
        { name: "output", short: "o", value: "FILE", text: "Write the repaired lines there. Default: a new thread with an id of its own" },
        { name: "check", text: "Only report what is wrong; exit code 1 if anything is" },
        jsonFlag,
        configFlag,
      ],
      exitCodes: "0 repaired, or nothing was wrong; 1 nothing of it can be saved, or --check found damage; 2 the command line is wrong",
      examples: [["parley threads repair --check 019a", "Check the thread whose id starts with 019a"]],
    },
    usage: {
      summary: "Say how many tokens were used, by day or in one thread",
      usage: ["[THREAD | --last]"],
      flags: [
        { name: "last", text: "The thread changed last" },
        { name: "days", value: "N", text: "How many days to show. Default 14" },
        jsonFlag,
        configFlag,
      ],
      examples: [
        ["parley threads usage", "Today, and the days before"],
        ["parley threads usage --last --json", "One thread, by model"],
      ],
    },
  },
  examples: [
    ["parley threads list", "The newest twenty"],
    ["parley threads show --last", "What happened in the newest"],
    ["parley threads export --last -o thread.md", "Keep it as a document"],
  ],
} as const satisfies Help;
