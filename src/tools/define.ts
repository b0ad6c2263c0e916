/** Builds a tool from a name, a description and its arguments' schema: the model sees the same value that is validated. */

import type { ThreadSettings } from "../core/ports/settings.ts";
import { type Action, badArguments, type Tool, type ToolCall, type ToolFace, type ToolOutput } from "../core/ports/tool.ts";
import { plainSchema } from "../lib/plain-schema.ts";
import type { Infer, Lazy, Schema } from "../lib/schema.ts";
import { readArguments, type Slips } from "./arguments.ts";

interface Definition<T extends Schema> extends Slips, Pick<Tool, "aliases" | "exclusive" | "takesText"> {
  readonly name: string;
  readonly description: string;
  readonly args: Lazy<T>;
  /** The arguments that the model is told of, where it should not pay for all that are accepted. */
  readonly offered?: Lazy<Schema>;
  /** Extracts the arguments from a call; defaults to its parsed JSON. */
  readonly given?: (call: ToolCall) => unknown;
  plan(args: Infer<Lazy<T>>, settings: ThreadSettings, call: ToolCall): Action | ToolOutput;
}

export function functionTool<T extends Schema>({
  name,
  description,
  args,
  offered,
  otherNames,
  adapt,
  given,
  plan,
  ...rest
}: Definition<T>): Tool {
  let face: ToolFace | undefined;
  const tool: Tool = {
    name,
    /** Built when first offered, to keep server start-up fast. */
    get face() {
      face ??= { type: "function", description, parameters: plainSchema((offered ?? args)()) };
      return face;
    },
    ...rest,
    plan(call, settings) {
      const read = readArguments(args, given === undefined ? call.args : given(call), {
        ...(otherNames && { otherNames }),
        ...(adapt && { adapt }),
      });
      return "wrong" in read ? badArguments(read.wrong, tool) : plan(read.args, settings, call);
    },
  };
  return tool;
}
