/**
 * A session of this agent, recorded byte for byte: what it sent on each wire to a scripted model. Replayed, it must send the same; to change
 * that on purpose, record it again with `npm run bench:agent -- --record` and review the difference.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { anthropicFrames, chatFrames, type MockReply, responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../test/support/model-mocks/server.ts";
import { compact, free, onStage, pixel } from "./stage.ts";

export interface RecordFigures {
  readonly requests: number;
  /** Requests that differ from the recording, or are missing or new. */
  readonly differing: number;
}

const wires = {
  responses: { model: "gpt-5.5", provider: "openai", frames: responsesFrames },
  chat: { model: "z-ai/glm-5.3-flash", provider: "openrouter", frames: chatFrames },
  anthropic: { model: "claude-opus-5-5", provider: "anthropic", frames: anthropicFrames },
} as const;
export type RecordedWire = keyof typeof wires;
export const recordedWires = Object.keys(wires) as RecordedWire[];

const fileOf = (wire: RecordedWire): string => path.join(import.meta.dirname, "recorded", `${wire}.jsonl`);
function script(wire: RecordedWire): readonly { readonly message: string; readonly replies: readonly MockReply[] }[] {
  let made = 0;
  const call = (name: string, args: unknown) => ({ id: `call_${++made}`, name, args: JSON.stringify(args) });
  const run = (cmd: string) => call("exec_command", { cmd });
  const patch = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+two\n*** End Patch";
  const edit =
    wire === "responses"
      ? { id: `call_${++made}`, name: "apply_patch", args: patch, custom: true }
      : call("edit", { path: "notes.txt", old_text: "one", new_text: "two" });
  return [
    { message: "What is here?", replies: [{ text: "I look.", calls: [run("cat notes.txt")] }, { text: "A note." }] },
    { message: "Mend it.", replies: [{ calls: [edit] }, { text: "Done." }] },
    {
      message: "Plan the rest.",
      replies: [{ calls: [call("update_plan", { plan: [{ step: "look", status: "completed" }] })] }, { text: "So." }],
    },
    { message: "Look at dot.png.", replies: [{ calls: [call("view_image", { path: "dot.png" })] }, { text: "A dot." }] },
    {
      message: "Two things at once.",
      replies: [
        { calls: [call("update_plan", { plan: [{ step: "run", status: "in_progress" }] }), run("echo 2 >&2; exit 3")] },
        { text: "One failed." },
      ],
    },
    {
      message: "A slip.",
      replies: [{ calls: [{ id: `call_${++made}`, name: "Bash", args: '{"command": "echo slip",}' }] }, { text: "It ran." }],
    },
    { message: "Much.", replies: [{ calls: [run("seq 12000")] }, { text: "Many numbers." }] },
  ];
}

/** Values that differ between machines and days are replaced by fixed names. */
const plain = (text: string, root: string): string =>
  text
    .replaceAll(root, "/stage")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/(Chunk ID: )[0-9a-f]+/g, "$1ID")
    .replaceAll(/(Wall time: )[\d.]+/g, "$1T")
    .replaceAll(/(<(current_date|timezone|shell)>)[^<]*/g, "$1…")
    .replaceAll(/\d{4}-\d\d-\d\d(?=[^\d])/g, "DATE");

async function play(wire: RecordedWire): Promise<string[]> {
  const { model, provider, frames } = wires[wire];
  let replies: MockReply[] = [];
  const answer: Answer = (response, request) =>
    request.method === "POST"
      ? stream(frames(replies.shift() ?? { text: "The work so far: notes were mended and checked. ".repeat(10) }))(response, request)
      : void response.writeHead(404).end();
  await using mock = new MockProvider(answer);
  const table = `[model_providers.${provider}]\nbase_url = "${await mock.listen()}/v1"\nwire_api = "${wire}"\nexperimental_bearer_token = "sk-bench-key"\n`;
  return await onStage(
    `tool_output_token_limit = 500\nmodel = "${model}"\nmodel_provider = "${provider}"\n${table}`,
    async ({ client, workspace }) => {
      writeFileSync(path.join(workspace, "notes.txt"), "one\n");
      writeFileSync(path.join(workspace, "AGENTS.md"), "Keep lines short.\n");
      writeFileSync(path.join(workspace, "dot.png"), Buffer.from(pixel, "base64"));
      const thread = await client.startThread({ cwd: workspace, ...free });
      for (const { message, replies: own } of script(wire)) {
        replies = [...own];
        await thread.run(message);
      }
      replies = [];
      await compact(client, thread.id);
      replies = [{ text: "Here again." }];
      await thread.run("And now?");
      const posts = mock.requests.filter(({ method }) => method === "POST");
      return posts.map(({ body }) => plain(JSON.stringify(body), path.dirname(workspace)));
    },
  );
}

/** A line says how many characters it shares with the request before it, at its start and at its end, and what is between them now. */
interface Line {
  readonly head: number;
  readonly adds: string;
  readonly tail: number;
}
function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
function commonEnd(a: string, b: string, most: number): number {
  let n = 0;
  while (n < most && a.at(-1 - n) === b.at(-1 - n)) n++;
  return n;
}

export async function recordSession(wire: RecordedWire): Promise<void> {
  const requests = await play(wire);
  const lines = requests.map((text, i): Line => {
    const before = requests[i - 1] ?? "";
    const head = common(before, text);
    const tail = commonEnd(before, text, Math.min(before.length, text.length) - head);
    return { head, adds: text.slice(head, text.length - tail), tail };
  });
  mkdirSync(path.dirname(fileOf(wire)), { recursive: true });
  writeFileSync(fileOf(wire), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

function recorded(wire: RecordedWire): string[] {
  if (!existsSync(fileOf(wire))) return [];
  const requests: string[] = [];
  for (const line of readFileSync(fileOf(wire), "utf8").trimEnd().split("\n")) {
    const { head, adds, tail } = JSON.parse(line) as Line;
    const before = requests.at(-1) ?? "";
    requests.push(`${before.slice(0, head)}${adds}${before.slice(before.length - tail)}`);
  }
  return requests;
}

export async function compareRecorded(wire: RecordedWire): Promise<RecordFigures> {
  const before = recorded(wire);
  const now = await play(wire);
  let differing = 0;
  for (let i = 0; i < Math.max(before.length, now.length); i++) {
    const [was = "", is = ""] = [before[i], now[i]];
    if (was === is) continue;
    differing++;
    const from = Math.max(0, common(was, is) - 60);
    if (differing === 1)
      console.log(`  ${wire}, request ${i + 1}: was …${was.slice(from, from + 160)}\n    is …${is.slice(from, from + 160)}`);
  }
  return { requests: now.length, differing };
}
