/** The editor as tools of the agent: their names, their arguments, and how their results are sent. The editor itself does the work. */

import { errorMessage } from "../../../../src/lib/error-text.ts";
import {
  type Infer,
  jsonSchema,
  type Lazy,
  natural,
  object,
  once,
  optional,
  parse,
  type Schema,
  string,
} from "../../../../src/lib/schema.ts";
import type { DynamicToolCallResponse, DynamicToolSpec } from "../../../../src/protocol/dynamic-tool.ts";

const OpenFile = once(() => object({ path: string(), line: optional(natural()) }));
const Selection = once(() => object({}));
const Diagnostics = once(() => object({ path: optional(string()) }));
const RenameSymbol = once(() => object({ path: string(), line: natural(), column: natural(), newName: string() }));

/** The editor's operations. Lines and columns are counted from one, as people do. Rejects with a message for the agent. */
export interface EditorTools {
  openFile(args: Infer<typeof OpenFile>): Promise<string>;
  selection(): Promise<string>;
  diagnostics(args: Infer<typeof Diagnostics>): Promise<string>;
  renameSymbol(args: Infer<typeof RenameSymbol>, signal: AbortSignal): Promise<string>;
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: Lazy<Schema>;
  run(editor: EditorTools, args: unknown, signal: AbortSignal): Promise<string> | undefined;
}

/** Undefined if the arguments are invalid. */
function tool<T>(
  name: string,
  description: string,
  schema: Lazy<Schema<T>>,
  run: (editor: EditorTools, args: T, signal: AbortSignal) => Promise<string>,
): Tool {
  return {
    name,
    description,
    schema,
    run(editor, args, signal) {
      const fitting = parse(schema, args ?? {});
      return fitting === undefined ? undefined : run(editor, fitting, signal);
    },
  };
}

const tools: readonly Tool[] = [
  tool(
    "editor_open_file",
    "Opens a file in the user's editor and shows it to them, at a line if one is given (counted from 1). Use it to point something out.",
    OpenFile,
    (editor, args) => editor.openFile(args),
  ),
  tool(
    "editor_selection",
    "Returns the file the user is looking at, where the cursor is, and the text that is selected.",
    Selection,
    (editor) => editor.selection(),
  ),
  tool(
    "editor_diagnostics",
    "Returns the problems (errors, warnings) that the editor's language services report, for one file or for the whole workspace.",
    Diagnostics,
    (editor, args) => editor.diagnostics(args),
  ),
  tool(
    "editor_rename_symbol",
    "Renames a symbol everywhere with the editor's language service. `path`, `line` and `column` (from 1) name one place where it stands. The user confirms the change.",
    RenameSymbol,
    (editor, args, signal) => editor.renameSymbol(args, signal),
  ),
];

export const toolSpecs = (): DynamicToolSpec[] =>
  tools.map(({ name, description, schema }) => ({ type: "function", name, description, inputSchema: jsonSchema(schema()) }));

export const isEditorTool = (name: unknown): boolean => tools.some((tool) => tool.name === name);

/** Runs one call. Never rejects: errors are returned to the agent. */
export async function callTool(
  editor: EditorTools,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<DynamicToolCallResponse> {
  const found = tools.find((tool) => tool.name === params["tool"]);
  if (found === undefined) return failed(`This editor has no tool ${String(params["tool"])}.`);
  try {
    const running = found.run(editor, params["arguments"], signal);
    if (running === undefined)
      return failed(`The arguments do not fit the schema of ${found.name}: ${JSON.stringify(jsonSchema(found.schema()))}`);
    return { success: true, contentItems: [{ type: "inputText", text: await running }] };
  } catch (error) {
    return failed(errorMessage(error));
  }
}

const failed = (text: string): DynamicToolCallResponse => ({ success: false, contentItems: [{ type: "inputText", text }] });
