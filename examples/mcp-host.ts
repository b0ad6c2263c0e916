/** An MCP host: starts the agent as an MCP server, gives it a task, answers its questions, and goes on in the same thread. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [prompt = "Say hello."] = process.argv.slice(2);
const client = new Client(
  { name: "mcp-host", version: "1.0.0" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "legacy" } },
);

client.setRequestHandler("elicitation/create", async ({ params }) => {
  console.error(`asked: ${params.message}`);
  const isListing = /\bls\b/.test(params.message);
  return isListing ? { action: "accept", content: { decision: "approved" } } : { action: "decline" };
});

const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
const program = process.env["PARLEY_BIN"] ?? "parley";
await client.connect(new StdioClientTransport({ command: program, args: ["mcp-server"], env }));
try {
  const { tools } = await client.listTools();
  console.error(`tools: ${tools.map(({ name }) => name).join(", ")}`);
  const first = await client.callTool({ name: "codex", arguments: { prompt, "approval-policy": "on-request", sandbox: "read-only" } });
  const { threadId, content } = first.structuredContent as { threadId: string; content: string };
  console.log(content);
  const second = await client.callTool({ name: "codex-reply", arguments: { threadId, prompt: "And now?" } });
  console.log((second.structuredContent as { content: string }).content);
} finally {
  await client.close();
}
