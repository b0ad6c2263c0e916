/** A lane over the Responses websocket: each frame is merged with what the provider stores, so that it can be compared with full requests. */
import { type Json, listOf, recordOf, stringOf } from "../../src/models/json.ts";
import type { MockReply } from "../../test/support/model-mocks/frames.ts";
import { MockSocketProvider } from "../../test/support/model-mocks/socket-server.ts";

/** A request as the provider reads it, and the part of it that was sent. */
export interface Framed {
  readonly body: Json;
  readonly frame: Json;
}

/** `take` gets each request and returns the model's response. */
export function socketStand(take: (framed: Framed) => MockReply): MockSocketProvider {
  /** By response id: everything sent and answered up to it. */
  const held = new Map<string, readonly unknown[]>();
  const mock: MockSocketProvider = new MockSocketProvider((frame) => {
    const { previous_response_id: previous, type: _type, ...settings } = frame;
    const past = typeof previous === "string" ? (held.get(previous) ?? warmedUp(mock, previous)) : [];
    const input = [...past, ...listOf(frame["input"])];
    const reply = take({ body: { ...settings, input }, frame });
    const isTrigger = recordOf(input.at(-1))["type"] === "compaction_trigger";
    const answer = isTrigger ? { compaction: "SEALED" } : reply;
    held.set(`resp_${mock.overSocket.length}`, [...input, ...answered(answer)]);
    return answer;
  });
  return mock;
}

/** A warm-up gets an empty response: only its own input is stored. */
const warmedUp = (mock: MockSocketProvider, id: string): readonly unknown[] =>
  listOf(mock.overSocket[Number(stringOf(id)?.replace("resp_", "")) - 1]?.body["input"]);

/** The items of a response, as the next full request repeats them. */
function answered({ text, calls = [], compaction }: MockReply): readonly unknown[] {
  return [
    ...(compaction === undefined ? [] : [{ type: "compaction", encrypted_content: compaction }]),
    ...(text === undefined ? [] : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }]),
    ...calls.map(({ id, name, args, custom }) =>
      custom === true
        ? { type: "custom_tool_call", call_id: id, name, input: args }
        : { type: "function_call", call_id: id, name, arguments: args },
    ),
  ];
}
