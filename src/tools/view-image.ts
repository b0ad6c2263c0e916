/** `view_image`: puts a local image into the conversation. */
import path from "node:path";
import { failed, type Tool } from "../core/ports/tool.ts";
import { maybe, named, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";

const Args = named("ViewImageArgs", () => object({ path: string(), detail: maybe(string()) }));

export const viewImage = (imageDataUrl: (file: string) => Promise<string>): Tool => ({
  name: "view_image",
  spec: {
    type: "function",
    name: "view_image",
    description: "Puts a local image file into the conversation so that you can see it.",
    strict: false,
    parameters: parameters({ path: { type: "string", description: "The image file." } }, ["path"]),
  },
  plan(call, settings) {
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const file = path.resolve(settings.cwd, read.args.path);
    return {
      kind: "direct",
      async run(context) {
        const item = { type: "imageView" as const, id: context.callId, path: file };
        let url: string;
        try {
          url = await imageDataUrl(file);
        } catch (error) {
          return failed(`unable to read image at ${file}: ${error instanceof Error ? error.message : String(error)}`);
        }
        context.startItem(item);
        await context.completeItem(item);
        return { kind: "content", content: [{ type: "input_image", image_url: url }], success: true };
      },
    };
  },
});
