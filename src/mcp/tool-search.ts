/** Offers many tools through two: one finds them by keywords, one calls them. The results become part of the conversation; the tool list does not change. */
import { badArguments, failed, succeeded, type Tool, type ToolOutput } from "../core/ports/tool.ts";
import { ranked, wordsOf } from "../lib/bm25.ts";
import { coerced } from "../lib/coerce.ts";
import { plainSchema } from "../lib/plain-schema.ts";
import { described, maybe, named, natural, object, parse, record, string, unknown } from "../lib/schema.ts";

/** Up to these limits, every tool is offered directly. */
const mostOffered = { tools: 20, tokens: 5000 };
const results = { usual: 5, most: 20 };
/** Maximum length of one result; tools that do not fit are only named. */
const maxCharacters = 24_000;
const maxServersNamed = 20;

/** Whether this many tools would use too much of the context window. */
export function areTooMany(tools: readonly Tool[]): boolean {
  if (tools.length > mostOffered.tools) return true;
  return tools.reduce((sum, tool) => sum + JSON.stringify(descriptionOf(tool)).length, 0) / 4 > mostOffered.tokens;
}

/** The tools as offered if there are too many: found with tool_search, and called with call_tool or, by models that can, by name. */
export function behindSearch(tools: readonly Tool[], servers: readonly string[]): Tool[] {
  return [searchTool(tools, servers), callTool(tools), ...tools.map((tool) => ({ ...tool, silent: true }))];
}

const SearchArgs = named("ToolSearchArgs", () =>
  object({
    query: described(string(), "Words for what the tool should do."),
    limit: maybe(described(natural(), `How many tools to return; ${results.usual} when left out.`)),
  }),
);

function searchTool(tools: readonly Tool[], servers: readonly string[]): Tool {
  const shown = servers.slice(0, maxServersNamed).join(", ") + (servers.length > maxServersNamed ? ", …" : "");
  const tool: Tool = {
    name: "tool_search",
    face: {
      type: "function",
      description: `Finds tools of the connected MCP servers (${shown}) by words, and returns their names and arguments. Call them with call_tool.`,
      parameters: plainSchema(SearchArgs()),
    },
    plan(call) {
      const given = typeof call.args === "string" ? { query: call.args } : call.args;
      const args = parse(SearchArgs, coerced(plainSchema(SearchArgs()), given));
      if (args === undefined || args.query.trim() === "") return badArguments("query: expected some words", tool);
      const most = Math.min(results.most, Math.max(1, args.limit ?? results.usual));
      return { kind: "direct", run: async () => answer(found(tools, args.query), most) };
    },
  };
  return tool;
}

/** The name counts twice, because people know a tool by its name. */
function found(tools: readonly Tool[], query: string): Tool[] {
  const exact = tools.filter((tool) => tool.name === query.trim());
  if (exact.length > 0) return exact;
  const texts = tools.map((tool) => {
    const { name, description, parameters } = descriptionOf(tool);
    const fields = Object.keys((parameters as { properties?: object }).properties ?? {});
    return wordsOf([name, name, description, ...fields].join(" ")).filter((word) => word !== "mcp");
  });
  return ranked(texts, wordsOf(query)).flatMap((at) => tools[at] ?? []);
}

function answer(hits: readonly Tool[], most: number): ToolOutput {
  if (hits.length === 0) return succeeded("No tool fits these words; try others.");
  const lines: string[] = [];
  let room = maxCharacters;
  for (const hit of hits.slice(0, most)) {
    const line = JSON.stringify(descriptionOf(hit));
    room -= line.length;
    lines.push(room > 0 || lines.length === 0 ? line.slice(0, maxCharacters) : JSON.stringify({ name: hit.name }));
  }
  const more = hits.length > most ? `\n${hits.length - most} more tools fit; ask with other words or a higher limit.` : "";
  return succeeded(`Call these with call_tool:\n${lines.join("\n")}${more}`);
}

function descriptionOf({ name, face }: Tool): { name: string; description: string; parameters: object } {
  return face.type === "function"
    ? { name, description: face.description, parameters: face.parameters }
    : { name, description: "", parameters: {} };
}

const CallArgs = named("CallToolArgs", () =>
  object({
    name: described(string(), "The tool's name, as tool_search gave it."),
    arguments: maybe(described(record(unknown()), "Its arguments.")),
  }),
);

/** The call is processed like a direct call of the tool: item, approval, audit log. */
function callTool(tools: readonly Tool[]): Tool {
  const self: Tool = {
    name: "call_tool",
    face: { type: "function", description: "Calls a tool that tool_search found.", parameters: plainSchema(CallArgs()) },
    plan(call, settings) {
      const args = parse(CallArgs, coerced(plainSchema(CallArgs()), call.args));
      if (args === undefined) return badArguments("expected the name of a tool and its arguments", self);
      const wanted = tools.find((tool) => tool.name === args.name);
      if (wanted !== undefined) return wanted.plan({ ...call, name: wanted.name, args: args.arguments ?? {} }, settings);
      const near = found(tools, args.name).slice(0, results.usual);
      const names = near.map((tool) => tool.name).join(", ");
      return failed(`there is no tool ${args.name}${names === "" ? "; look for it with tool_search" : `; the nearest are ${names}`}`);
    },
  };
  return self;
}
