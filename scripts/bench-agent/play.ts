/** Thirty scripted turns of one thread against a mock of one vendor's wire, then a resume, a fork, another effort and a compaction. Returns what was sent. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openClient } from "../../src/client/client.ts";
import type { Json } from "../../src/models/json.ts";
import type { UserInput } from "../../src/protocol/item.ts";
import { anthropicFrames, chatFrames, type MockReply, responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../test/support/model-mocks/server.ts";
import {
  anthropicRules,
  chatRules,
  mistralIds,
  type Rule,
  responsesRules,
  ruled,
  type Sent,
} from "../../test/support/model-mocks/vendor-rules.ts";
import { startServer } from "../../test/support/server.ts";
import { type Framed, socketStand } from "./socket-stand.ts";
import { pixel } from "./stage.ts";

export interface Lane {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly wire: "responses" | "chat" | "anthropic";
  readonly edits: "patch" | "replace";
  /** Over the websocket of the Responses wire, with compaction by the provider, as at api.openai.com. */
  readonly socket?: true;
  /** What this vendor refuses beyond the rules of its wire. */
  readonly rules?: readonly Rule[];
}

export const lanes: readonly Lane[] = [
  { name: "responses, gpt-5.5", provider: "openai", model: "gpt-5.5", wire: "responses", edits: "patch" },
  { name: "responses over a websocket, gpt-5.5", provider: "openai", model: "gpt-5.5", wire: "responses", edits: "patch", socket: true },
  { name: "anthropic, claude-opus-5-5", provider: "anthropic", model: "claude-opus-5-5", wire: "anthropic", edits: "replace" },
  { name: "chat, Claude behind OpenRouter", provider: "openrouter", model: "anthropic/claude-opus-4.6", wire: "chat", edits: "replace" },
  { name: "chat, z-ai/glm-5.3-flash", provider: "openrouter", model: "z-ai/glm-5.3-flash", wire: "chat", edits: "replace" },
  {
    ...{ name: "chat, devstral at Mistral", provider: "mistral", model: "devstral-medium-latest", wire: "chat", edits: "replace" },
    rules: [mistralIds],
  },
];

/** A request with the part of the session that it belongs to. */
interface PlayedRequest {
  readonly part: Part;
  readonly turn: number;
  readonly body: Json;
  /** What was actually sent where the provider stores the rest. */
  readonly frame?: Json;
}
export interface Played {
  readonly requests: readonly PlayedRequest[];
  /** Requests sent over HTTP although the lane has a websocket. */
  readonly overHttp: number;
  /** Requests that a vendor would have refused. */
  readonly refused: readonly string[];
  readonly failedTurns: number;
}
export type Part = "turns" | "resume" | "fork" | "settings" | "mcp" | "compaction";

const wires: Readonly<Record<Lane["wire"], { frames: (reply: MockReply) => string[]; rules: readonly Rule[] }>> = {
  responses: { frames: responsesFrames, rules: responsesRules },
  chat: { frames: chatFrames, rules: chatRules },
  anthropic: { frames: anthropicFrames, rules: anthropicRules },
};

interface Turn {
  readonly input: string | readonly UserInput[];
  readonly replies: readonly MockReply[];
}

/** Gives a mock on loopback the capabilities of api.openai.com. */
const openaiSelf = "supports_websockets = true\noptions = { hosted_tools = true }\n";

function turns(lane: Lane): readonly Turn[] {
  let calls = 0;
  const call = (name: string, args: unknown, custom = false) => ({
    id: `call_${++calls}`,
    name,
    args: typeof args === "string" ? args : JSON.stringify(args),
    ...(custom ? { custom } : {}),
  });
  const run = (cmd: string) => call("exec_command", { cmd });
  const reply = (text: string): MockReply => ({ text });
  const edit =
    lane.edits === "patch"
      ? call("apply_patch", "*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+two\n*** End Patch", true)
      : call("edit", { path: "notes.txt", old_text: "one", new_text: "two" });
  const staged: Turn[] = [
    { input: "What is in this folder?", replies: [reply("A small project with notes and a picture.")] },
    { input: "List it.", replies: [{ text: "I look.", calls: [run("ls -l")] }, reply("Two files.")] },
    {
      input: "Run the tests.",
      replies: [{ calls: [run("yes 'test failed: expected 1, got 2' | head -c 205000; exit 1")] }, reply("They fail.")],
    },
    { input: "Mend notes.txt.", replies: [{ calls: [edit] }, reply("Done.")] },
    {
      input: "Make a plan.",
      replies: [{ calls: [call("update_plan", { plan: [{ step: "look", status: "completed" }] })] }, reply("Planned.")],
    },
    {
      input: [
        { type: "text", text: "What is this?" },
        { type: "image", url: `data:image/png;base64,${pixel}` },
      ],
      replies: [reply("A dot.")],
    },
    { input: "Look at dot.png.", replies: [{ calls: [call("view_image", { path: "dot.png" })] }, reply("The same dot.")] },
    { input: "Check three things.", replies: [{ calls: [run("pwd"), run("wc -l notes.txt"), run("date +%Y")] }, reply("Checked.")] },
  ];
  const small = Array.from(
    { length: 22 },
    (_, i): Turn => ({ input: `Small task ${i + 1}.`, replies: [{ calls: [run(`echo ${i + 1}`)] }, reply(`Small answer ${i + 1}.`)] }),
  );
  return [...staged, ...small];
}

export async function play(lane: Lane): Promise<Played> {
  const { frames } = wires[lane.wire];
  const rules = [...wires[lane.wire].rules, ...(lane.rules ?? [])];
  const refused: string[] = [];
  const requests: PlayedRequest[] = [];
  let part: Part = "turns";
  let turn = 0;
  let replies: MockReply[] = [];
  const reply = (): MockReply => replies.shift() ?? { text: "The work so far: notes were mended and checked. ".repeat(10) };
  const judge = (sent: Sent): void => {
    const broken = rules.map((rule) => rule(sent)).find((refusal) => refusal !== undefined);
    if (broken !== undefined) refused.push(JSON.stringify(broken.body));
  };
  const answer: Answer = (response, request) => {
    requests.push({ part, turn, body: request.body });
    return stream(frames(reply()))(response, request);
  };
  const watched: Answer = (response, request) => {
    if (request.method !== "POST") return void response.writeHead(404).end();
    judge(request);
    return ruled(rules, answer)(response, request);
  };
  const framed = ({ body, frame }: Framed): MockReply => {
    requests.push({ part, turn, body, frame });
    judge({ body, headers: {} });
    return reply();
  };
  const socket = lane.socket === true ? socketStand(framed) : undefined;
  await using mock = socket ?? new MockProvider(watched);
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-agent-")));
  const folders = { home: path.join(root, "home"), workspace: path.join(root, "work"), systemDir: path.join(root, "etc") };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(path.join(folders.workspace, "notes.txt"), "one\n");
  writeFileSync(path.join(folders.workspace, "AGENTS.md"), "Keep lines short.\n");
  writeFileSync(path.join(folders.workspace, "dot.png"), Buffer.from(pixel, "base64"));
  const table = `[model_providers.${lane.provider}]\nbase_url = "${await mock.listen()}${socket === undefined ? "/v1" : ""}"\nwire_api = "${lane.wire}"\nexperimental_bearer_token = "sk-bench-key"\n${socket === undefined ? "" : openaiSelf}`;
  writeFileSync(path.join(folders.home, "config.toml"), `model = "${lane.model}"\nmodel_provider = "${lane.provider}"\n${table}`);
  let failedTurns = 0;
  let server = await startServer(folders);
  try {
    let client = await openClient(await server.connect());
    const settings = { cwd: folders.workspace, approvalPolicy: "never", sandbox: "danger-full-access" } as const;
    const thread = await client.startThread(settings);
    const ask = async (of: { run: typeof thread.run }, input: Turn["input"], more: object = {}): Promise<void> => {
      await of.run(input, more).catch(() => failedTurns++);
    };
    for (const [i, { input, replies: own }] of turns(lane).entries()) {
      turn = i + 1;
      replies = [...own];
      await ask(thread, input);
    }
    if (readFileSync(path.join(folders.workspace, "notes.txt"), "utf8") !== "two\n") failedTurns++; // the edit did nothing
    await server.stop();
    server = await startServer(folders);
    client = await openClient(await server.connect());
    [part, turn, replies] = ["resume", 31, [{ text: "Here again." }]];
    const resumed = await client.resumeThread(thread.id);
    await ask(resumed, "Still there?");
    [part, turn, replies] = ["settings", 32, [{ text: "Deeper." }]];
    await ask(resumed, "Think harder.", { effort: "high" });
    [part, turn, replies] = ["fork", 33, [{ text: "Another way." }]];
    const { thread: copy } = await client.call("thread/fork", { threadId: thread.id });
    const forked = await client.resumeThread(copy.id);
    await ask(forked, "And this way?");
    [part, turn, replies] = ["mcp", 35, [{ text: "Many tools." }]];
    const args = [path.resolve(import.meta.dirname, "../../test/support/mcp-fixture.ts"), "many"];
    const many = await client.startThread({ ...settings, config: { "mcp_servers.many": { command: process.execPath, args } } });
    await ask(many, "What can you do?");
    [part, turn, replies] = ["compaction", 34, []];
    const compacted = new Promise<void>((resolve) => client.on("turn/completed", ({ threadId }) => threadId === thread.id && resolve()));
    await client.call("thread/compact/start", { threadId: thread.id });
    await compacted;
    client.close();
  } finally {
    await server.stop().catch(() => undefined);
    rmSync(root, { recursive: true, force: true });
  }
  return { requests, refused, failedTurns, overHttp: socket?.overHttp.length ?? 0 };
}
