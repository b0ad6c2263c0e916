/** Offers the editor's buffers to the model as a tool: they may contain unsaved changes. */
import path from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import { errorMessage } from "../../lib/error-text.ts";
import { named, natural, object, optional, parse, string } from "../../lib/schema.ts";
import type { DynamicToolCallParams, DynamicToolCallResponse, DynamicToolSpec } from "../../protocol/dynamic-tool.ts";

const toolName = "read_editor_file";

const Arguments = named("ReadEditorFileArguments", () => object({ path: string(), line: optional(natural()), limit: optional(natural()) }));

/** Tools that a session offers the model in addition to the built-in ones. */
export function editorTools({ fs }: ClientCapabilities): DynamicToolSpec[] {
  if (fs?.readTextFile !== true) return [];
  return [
    {
      type: "function",
      name: toolName,
      description:
        "Reads a text file as the person's editor shows it, with changes that are not saved yet; commands see only what is saved. Use it for files that the person has open or speaks of.",
      inputSchema: {
        type: "object",
        properties: {
          path: { type: "string", description: "Absolute, or relative to the working directory" },
          line: { type: "integer", minimum: 1, description: "First line to read, from 1" },
          limit: { type: "integer", minimum: 1, description: "Most lines to read" },
        },
        required: ["path"],
        additionalProperties: false,
      },
    },
  ];
}

export interface EditorReader {
  readonly cwd: string;
  readBuffer(wanted: { readonly path: string; readonly line?: number; readonly limit?: number }): Promise<string>;
}

export async function readInEditor(
  { tool, arguments: given }: DynamicToolCallParams,
  reader: EditorReader,
): Promise<DynamicToolCallResponse> {
  const answer = (text: string, success: boolean): DynamicToolCallResponse => ({ contentItems: [{ type: "inputText", text }], success });
  if (tool !== toolName) return answer(`the editor has no tool ${tool}`, false);
  const wanted = parse(Arguments, given);
  if (wanted === undefined) return answer("expected { path, line?, limit? }, with line and limit from 1", false);
  try {
    return answer(await reader.readBuffer({ ...wanted, path: path.resolve(reader.cwd, wanted.path) }), true);
  } catch (error) {
    return answer(`the editor cannot read ${wanted.path}: ${errorMessage(error)}`, false);
  }
}
