import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ModelItem } from "../ports/model-client.ts";
import { History } from "./history.ts";

const call = (id: string): ModelItem => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
const output = (id: string): ModelItem => ({ type: "function_call_output", call_id: id, output: "done" });
const item = fc.oneof(
  fc.constantFrom("a", "b", "c", "d").map(call),
  fc.constantFrom("a", "b", "c", "d").map(output),
  fc.constant<ModelItem>({ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }),
);
const idsOf = (items: readonly ModelItem[], type: ModelItem["type"]): Set<unknown> =>
  new Set(items.flatMap((each) => (each.type === type && "call_id" in each ? [each.call_id] : [])));

test("for any history, a request contains every call with an output and no output without a call", () => {
  fc.assert(
    fc.property(fc.array(item), fc.array(item), fc.option(fc.array(item)), (first, added, replaced) => {
      const history = new History(first);
      for (const each of added) history.add(each);
      if (replaced !== null) history.replace(replaced);
      const all = replaced ?? [...first, ...added];
      const sent = history.forRequest();
      assert.deepEqual(idsOf(sent, "function_call_output"), idsOf(sent, "function_call"));
      assert.deepEqual(idsOf(sent, "function_call"), idsOf(all, "function_call"), "no call is left out");
      const isWhole = idsOf(all, "function_call").symmetricDifference(idsOf(all, "function_call_output")).size === 0;
      if (isWhole) assert.deepEqual(sent, all);
    }),
  );
});
