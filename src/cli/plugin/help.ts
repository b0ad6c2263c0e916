/** The flags and help text of `parley plugin`. */
import { configFlag, type FlagHelp, featureFlags, type Help, jsonFlag } from "../help/text.ts";

const common = [jsonFlag, configFlag, ...featureFlags] as const;
const marketplaceFlag = {
  name: "marketplace",
  short: "m",
  value: "NAME",
  text: "The marketplace, where the plugin's name does not have it",
} as const satisfies FlagHelp;

export const help = {
  summary: "Install, list, remove and accept plugins, and the marketplaces that they come from",
  text: [
    "A plugin brings skills, MCP servers and hooks along; its servers run outside the sandbox, with your rights. Installing it accepts its content: when a file of it changes later, nothing of it is used until you accept it again. See docs/plugins.md.",
  ],
  usage: ["<COMMAND>"],
  commands: {
    add: {
      summary: "Install a plugin of a marketplace, or install it again",
      usage: ["<PLUGIN[@MARKETPLACE]> [-m <NAME>] [--json]"],
      flags: [marketplaceFlag, ...common],
      examples: [["parley plugin add demo@market", "Install it and switch it on"]],
    },
    list: {
      summary: "List the plugins of the marketplaces",
      usage: ["[-m <NAME>] [--json [--available]]"],
      flags: [
        { ...marketplaceFlag, text: "Only those of this marketplace" },
        { name: "available", text: "With --json: those that are not installed, too" },
        ...common,
      ],
      examples: [
        ["parley plugin list", "As a table"],
        ["parley plugin list --available --json", "All of them, for programs"],
      ],
    },
    remove: {
      summary: "Remove an installed plugin",
      usage: ["<PLUGIN[@MARKETPLACE]> [-m <NAME>] [--json]"],
      flags: [marketplaceFlag, ...common],
      examples: [["parley plugin remove demo@market", "Take it out of the home and of config.toml"]],
    },
    accept: {
      summary: "Use a plugin that has changed, as it is now",
      usage: ["<PLUGIN[@MARKETPLACE]> [-m <NAME>] [--json]"],
      flags: [marketplaceFlag, ...common],
      examples: [["parley plugin accept demo@market", "After a look at its folder"]],
    },
    marketplace: {
      summary: "Add, list, fetch again and remove marketplaces",
      usage: ["<COMMAND>"],
      commands: {
        add: {
          summary: "Add a marketplace from a folder or a git repository",
          usage: ["<DIR | OWNER/REPO[@REF] | URL[#REF]> [--ref <REF>] [--sparse <PATH>]... [--json]"],
          flags: [
            { name: "ref", value: "REF", text: "The branch, tag or commit to take" },
            { name: "sparse", value: "PATH", many: true, text: "Take only this folder of the repository; repeatable" },
            ...common,
          ],
          examples: [
            ["parley plugin marketplace add ./market", "A folder, used where it is"],
            ["parley plugin marketplace add owner/repo --ref v1", "A repository at GitHub, of which a copy is kept"],
          ],
        },
        list: {
          summary: "List the marketplaces",
          usage: ["[--json]"],
          flags: common,
          examples: [["parley plugin marketplace list", "Their names and folders"]],
        },
        upgrade: {
          summary: "Fetch marketplaces that come from repositories again",
          usage: ["[NAME] [--json]"],
          flags: common,
          examples: [["parley plugin marketplace upgrade", "All of them; installed plugins stay as they are"]],
        },
        remove: {
          summary: "Remove a marketplace",
          usage: ["<NAME> [--json]"],
          flags: common,
          examples: [["parley plugin marketplace remove market", "Installed plugins stay"]],
        },
      },
      examples: [["parley plugin marketplace list", "Their names and folders"]],
    },
  },
  examples: [
    ["parley plugin marketplace add owner/repo", "Where plugins come from"],
    ["parley plugin add demo@market", "Install one of them"],
  ],
} as const satisfies Help;
