/** A lane over the Responses websocket: each frame is put together with what the provider holds, so that it compares with requests that say all. */
import { type Json, listOf, recordOf, stringOf } from "../../src/models/json.ts";
import type { MockReply } from "../../test/support/model-mocks/frames.ts";
import { MockSocketProvider } from "../../test/support/model-mocks/socket-server.ts";

/** A request as the provider reads it, and what of it went over the line. */
export interface Framed {
  readonly body: Json;
  readonly frame: Json;
}

/** `take` is given each request and says what the model answers. */
export function socketStand(take: (framed: Framed) => MockReply): MockSocketProvider {
  /** By the id of an answer: all that was told and answered up to it. */
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

/** A warm-up is answered with nothing: what was told with it is all that is held. */
const warmedUp = (mock: MockSocketProvider, id: string): readonly unknown[] =>
  listOf(mock.overSocket[Number(stringOf(id)?.replace("resp_", "")) - 1]?.body["input"]);

/** The items of an answer, as the next request that says all repeats them. */
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
