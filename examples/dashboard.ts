/** A live table of a server's threads: `dashboard.ts ws://127.0.0.1:4500`. With --demo it starts a server of its own and gives it something to do. */
import { type Client, connectClient, spawnClient } from "@parley-agent/parley/client";

const [address = "--demo"] = process.argv.slice(2);
const clientInfo = { name: "dashboard", title: null, version: "1.0.0" };
using client = address === "--demo" ? await spawnClient({ clientInfo }) : await connectClient(address, { clientInfo });

interface Row {
  readonly id: string;
  title: string;
  state: string;
  tokens: number;
}
const rows = new Map<string, Row>();
const row = (id: string): Row => {
  const known = rows.get(id) ?? { id, title: "", state: "idle", tokens: 0 };
  rows.set(id, known);
  return known;
};

function draw(): void {
  const lines = [...rows.values()].map(
    ({ id, state, tokens, title }) => `${id.slice(-8)}  ${state.padEnd(20)} ${String(tokens).padStart(8)}  ${title}`,
  );
  if (process.stdout.isTTY) process.stdout.write("\u001b[2J\u001b[H");
  console.log(["thread    state                  tokens  title", ...lines].join("\n"));
}

const { data } = await client.call("thread/list", { limit: 20 });
for (const { id, name, preview } of data) row(id).title = (name ?? preview ?? "").split("\n")[0]?.slice(0, 60) ?? "";
client.on("thread/started", ({ thread }) => void row(thread.id));
client.on("thread/name/updated", ({ threadId, threadName }) => void Object.assign(row(threadId), { title: threadName ?? "" }));
client.on(
  "thread/tokenUsage/updated",
  ({ threadId, tokenUsage }) => void Object.assign(row(threadId), { tokens: tokenUsage.total.totalTokens }),
);
client.on("thread/status/changed", ({ threadId, status }) => {
  const waits = status.type === "active" && status.activeFlags.length > 0;
  row(threadId).state = waits ? status.activeFlags.join(", ") : status.type;
  draw();
});
draw();
if (address === "--demo") await demo(client);
else await new Promise((resolve) => client.ended.addEventListener("abort", resolve));

async function demo(of: Client): Promise<void> {
  const thread = await of.startThread({ cwd: process.cwd() });
  row(thread.id).title = "a greeting";
  await thread.run("Say hello.");
}
