/** Oversized input on each wire: long commands, MCP results, images and messages, in a large window and in one of 8,192 tokens. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { MockReply } from "../../test/support/model-mocks/frames.ts";
import type { SeenRequest } from "../../test/support/model-mocks/server.ts";
import { tokensOf, Vendor, type VendorWire } from "../../test/support/model-mocks/vendor.ts";
import { free, onStage } from "./stage.ts";

export interface LimitFigures {
  readonly requestsOfATurn: number;
  /** Tokens that one result adds to the model's context. */
  readonly largestResult: number;
  readonly failedTurns: number;
}

const models: Readonly<Record<VendorWire, string>> = { responses: "gpt-5.5", chat: "qwen3-coder", anthropic: "claude-sonnet-4-5" };
const handOver: MockReply = { text: `HAND-OVER ${"What was done and what is left. ".repeat(10)}` };
const fixture = path.resolve(import.meta.dirname, "../../test/support/mcp-fixture.ts");

/** Five megabytes on disk, and 1200 × 900 pixels by its header. */
function picture(): Buffer {
  const file = Buffer.alloc(5 * 1024 * 1024);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(file);
  file.writeUInt32BE(1200, 16);
  file.writeUInt32BE(900, 20);
  Buffer.from("0806000000", "hex").copy(file, 24);
  return file;
}

/** The calls of a turn, one after another; the person's message names them. */
const long = { cmd: "yes 'test failed: expected 1, got 2' | head -c 205000; exit 1" };
const calls: Readonly<Record<string, readonly { readonly name: string; readonly args: object }[]>> = {
  "a long command": [{ name: "exec_command", args: long }],
  "two at once": [
    { name: "exec_command", args: long },
    { name: "exec_command", args: { cmd: "seq 60000" } },
  ],
  "a picture": [{ name: "view_image", args: { path: "large.png" } }],
  "a result of MCP": [{ name: "mcp__desk__big", args: {} }],
  words: [],
};
const small = ["words", "a long command", "words", "two at once", "a long command", "words", "a long command", "words"];

export async function limits(wire: VendorWire): Promise<LimitFigures> {
  const parts = [await turnsOf(wire, 200_000, Object.keys(calls)), await turnsOf(wire, 8192, small)];
  return {
    requestsOfATurn: Math.max(...parts.map((part) => part.requestsOfATurn)),
    largestResult: Math.max(...parts.map((part) => part.largestResult)),
    failedTurns: parts.reduce((sum, part) => sum + part.failedTurns, 0),
  };
}

async function turnsOf(wire: VendorWire, window: number, turns: readonly string[]): Promise<LimitFigures> {
  let replies: MockReply[] = [];
  let made = 0;
  const think = ({ body }: SeenRequest): MockReply =>
    JSON.stringify(body).includes("Write a hand-over") ? handOver : (replies.shift() ?? { text: "done" });
  await using vendor = new Vendor({ wire, window, think });
  const mcp = `[mcp_servers.desk]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "many"]\nstartup_timeout_sec = 60\n`;
  const config = `model = "${models[wire]}"\nmodel_provider = "mock"\nmodel_context_window = ${window}\n${window > 100_000 ? mcp : ""}${await vendor.config()}`;
  return await onStage(config, async ({ client, workspace }) => {
    writeFileSync(path.join(workspace, "large.png"), picture());
    const thread = await client.startThread({ cwd: workspace, ...free });
    const figures = { requestsOfATurn: 0, largestResult: 0, failedTurns: 0 };
    for (const turn of turns) {
      const before = vendor.requests.length;
      replies = (calls[turn] ?? []).map(({ name, args }) => ({ calls: [{ id: `call_${++made}`, name, args: JSON.stringify(args) }] }));
      if (turn === "two at once") replies = [{ calls: replies.flatMap((reply) => reply.calls ?? []) }];
      await thread.run(turn).catch(() => figures.failedTurns++);
      const sent = vendor.requests.slice(before).map(({ body }) => tokensOf(body));
      figures.requestsOfATurn = Math.max(figures.requestsOfATurn, sent.length);
      const results = turn === "two at once" ? 2 : 1;
      for (const [i, tokens] of sent.entries())
        figures.largestResult = Math.max(figures.largestResult, i === 0 ? 0 : Math.ceil((tokens - (sent[i - 1] ?? 0)) / results));
    }
    return figures;
  });
}
