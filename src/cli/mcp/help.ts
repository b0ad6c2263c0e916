/** The flags and help text of `parley mcp`. */
import { configFlag, type FlagHelp, featureFlags, type Help, jsonFlag } from "../help/text.ts";

const common = [configFlag, ...featureFlags] as const;
const registrationFlag = {
  name: "oauth-client-registration",
  value: "WAY",
  choices: ["auto", "cimd", "dcr"],
  text: "How login registers where no client id is set: auto and dcr are the same, cimd is refused; with add it changes nothing",
} as const satisfies FlagHelp;

export const help = {
  summary: "Add, list, show, remove, accept and sign in to MCP servers",
  text: ["Changes [mcp_servers] of the user's own config.toml; everything else in the file stays as it is."],
  usage: ["<COMMAND>"],
  commands: {
    add: {
      summary: "Add a server that is started, or one that is reached over HTTP",
      usage: ["<NAME> [--env KEY=VALUE]... -- <COMMAND>...", "<NAME> --url <URL> [--bearer-token-env-var <NAME>]"],
      flags: [
        { name: "env", value: "KEY=VALUE", many: true, text: "An environment variable for the server's process; repeatable" },
        { name: "url", value: "URL", text: "Its address (streamable HTTP)" },
        { name: "bearer-token-env-var", value: "NAME", text: "The environment variable that contains its token" },
        { name: "oauth-resource", value: "URL", text: "The resource to name when signing in" },
        { name: "oauth-client-id", value: "ID", text: "A client that was registered by hand, for signing in" },
        { name: "oauth-client-secret", value: "SECRET", text: "Its secret, where it has one" },
        registrationFlag,
        ...common,
      ],
      examples: [
        ["parley mcp add docs -- npx -y docs-server", "A program that is started"],
        ["parley mcp add issues --url https://mcp.example.com/ --bearer-token-env-var ISSUES_TOKEN", "A server that is reached"],
      ],
    },
    list: { summary: "List the servers", usage: ["[--json]"], flags: [jsonFlag, ...common], examples: [["parley mcp list", "As a table"]] },
    get: {
      summary: "Show one server",
      usage: ["<NAME> [--json]"],
      flags: [jsonFlag, ...common],
      examples: [["parley mcp get docs", "Its settings"]],
    },
    remove: {
      summary: "Remove a server",
      usage: ["<NAME>"],
      flags: common,
      examples: [["parley mcp remove docs", "Take it out of config.toml"]],
    },
    login: {
      summary: "Sign in to a server in the browser",
      usage: ["<NAME> [--scopes a,b]"],
      flags: [
        { name: "scopes", value: "LIST", text: "OAuth scopes to request, separated by commas" },
        { name: "no-browser", text: "Only print the address: what is done without it, too" },
        registrationFlag,
        ...common,
      ],
      examples: [["parley mcp login issues", "Open the server's sign-in page"]],
    },
    accept: {
      summary: "Let a server of this trusted project start as it is defined now",
      usage: ["[NAME]"],
      flags: common,
      examples: [
        ["parley mcp accept", "Show which servers of this folder wait"],
        ["parley mcp accept docs", "Accept one, until its definition changes again"],
      ],
    },
    logout: {
      summary: "Forget the sign-in of a server",
      usage: ["<NAME>"],
      flags: common,
      examples: [["parley mcp logout issues", "Remove its tokens"]],
    },
  },
  examples: [
    ["parley mcp add docs -- npx -y docs-server", "Add a server"],
    ["parley doctor", "See whether it starts and how many tools it has"],
  ],
} as const satisfies Help;
