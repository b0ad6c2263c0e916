/** A working thread against llama-server with each chat template that refuses something: the cost of finding out, and what still works. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type ChatTemplate, chatTemplate, chatTemplateNames } from "../../test/support/model-mocks/chat-templates.ts";
import { chatFrames, type MockReply } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../test/support/model-mocks/server.ts";
import { chatRules, ruled } from "../../test/support/model-mocks/vendor-rules.ts";
import { compact, free, onStage, pixel } from "./stage.ts";

export interface TemplateFigures {
  /** Requests that the template refused until it was known. */
  readonly refusals: number;
  readonly failedTurns: number;
  /** 1 where tools can only be described in the prompt. */
  readonly toolsAsText: number;
}

export const templateNames = chatTemplateNames;

const call = (id: string, name: string, args: object) => ({ id, name, args: JSON.stringify(args) });
const turns: readonly (readonly MockReply[])[] = [
  [{ text: "Hello." }],
  [
    {
      text: "I look.",
      calls: [call("call_one", "shell_command", { command: "echo 1" }), call("call_two", "shell_command", { command: "echo 2" })],
    },
    { text: "Two." },
  ],
  [{ calls: [call("call_dot", "view_image", { path: "dot.png" })] }, { text: "A dot." }],
  [{ raw: "hm", calls: [{ id: "call_torn", name: "shell_command", args: '{"command": "ls' }] }, { text: "That was cut." }],
  [{ calls: [call("call_again", "shell_command", { command: "false" })] }, { text: "It fails." }],
];

export async function template(name: ChatTemplate): Promise<TemplateFigures> {
  let replies: MockReply[] = [];
  let refusals = 0;
  let toolsAsText = 0;
  const rules = [...chatRules, chatTemplate(name)];
  const model: Answer = (response, request) => {
    if (request.body["tools"] === undefined) toolsAsText = 1;
    return stream(chatFrames(replies.shift() ?? { text: "The work so far: two commands were run. ".repeat(10) }))(response, request);
  };
  const server: Answer = (response, request) => {
    if (request.method === "GET") return void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
    if (rules.some((rule) => rule(request) !== undefined)) refusals++;
    return ruled(rules, model)(response, request);
  };
  await using mock = new MockProvider(server);
  const table = `[model_providers.llamacpp]\nbase_url = "${await mock.listen()}/v1"\nwire_api = "chat"\n`;
  const config = `model = "a-model"\nmodel_provider = "llamacpp"\nmodel_reasoning_effort = "medium"\nmodel_context_window = 64000\n${table}`;
  return await onStage(config, async ({ client, workspace }) => {
    writeFileSync(path.join(workspace, "dot.png"), Buffer.from(pixel, "base64"));
    const thread = await client.startThread({ cwd: workspace, ...free });
    let failedTurns = 0;
    for (const [i, own] of turns.entries()) {
      replies = [...own];
      await thread.run(`turn ${i + 1}`).catch(() => failedTurns++);
    }
    replies = [];
    if ((await compact(client, thread.id)) !== "completed") failedTurns++;
    replies = [{ text: "Here again." }];
    await thread.run("and now?").catch(() => failedTurns++);
    return { refusals, failedTurns, toolsAsText };
  });
}
