/** `view_image`: adds a local image to the conversation. */
import path from "node:path";
import { fileGuard } from "../core/ports/file-access.ts";
import { failed, type Tool } from "../core/ports/tool.ts";
import { errorMessage } from "../lib/error-text.ts";
import { findRealPath } from "../lib/file-status.ts";
import { described, named, object, string } from "../lib/schema.ts";
import { functionTool } from "./define.ts";

const Args = named("ViewImageArgs", () => object({ path: described(string(), "The image file.") }));

export const viewImage = (imageDataUrl: (file: string) => Promise<string>): Tool =>
  functionTool({
    name: "view_image",
    description: "Puts a local image file into the conversation so that you can see it.",
    args: Args,
    aliases: ["read_image", "open_image"],
    otherNames: { file_path: "path", file: "path", image: "path", image_path: "path", filename: "path" },
    plan(args, settings) {
      const file = path.resolve(settings.cwd, args.path);
      return {
        kind: "direct",
        async run(context) {
          const item = { type: "imageView" as const, id: context.callId, path: file };
          let url: string;
          try {
            const guard = await fileGuard(context.settings, async (at) => findRealPath(at) ?? at);
            if (guard?.(file, findRealPath(file) ?? file) === "deny") throw new Error("the permission profile denies access to it");
            url = await imageDataUrl(file);
          } catch (error) {
            return failed(`unable to read image at ${file}: ${errorMessage(error)}`);
          }
          context.startItem(item);
          await context.completeItem(item);
          return { kind: "content", content: [{ type: "input_image", image_url: url }], success: true };
        },
      };
    },
  });
