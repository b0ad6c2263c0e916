/** Built-in tools and when each is offered. Adding one: write its file, add its line here. */
import type { Offer, Tool, ToolSource } from "../core/ports/tool.ts";
import { isTable } from "../lib/toml.ts";
import { applyPatchFreeform, applyPatchFunction } from "./apply-patch.ts";
import { askUserQuestion } from "./ask-user-question.ts";
import { execCommand } from "./exec-command.ts";
import { requestPermissions } from "./request-permissions.ts";
import { requestUserInput } from "./request-user-input.ts";
import { shell } from "./shell.ts";
import { shellCommand } from "./shell-command.ts";
import { updatePlan } from "./update-plan.ts";
import { viewImage } from "./view-image.ts";
import { webSearch } from "./web-search.ts";
import { writeStdin } from "./write-stdin.ts";

export interface BuiltInOptions {
  readonly shellPath: string;
  readonly imageDataUrl: (file: string) => Promise<string>;
}

export function builtInTools({ shellPath, imageDataUrl }: BuiltInOptions): ToolSource {
  const line = shellCommand(shellPath);
  const exec = execCommand(shellPath);
  const image = viewImage(imageDataUrl);
  const questions = [false, true].map((everyMode) => [requestUserInput(everyMode), askUserQuestion(everyMode)]);
  return {
    tools(offer) {
      const everyMode = offer.config.features["default_mode_request_user_input"] === true;
      return [
        ...shellTools(offer, { shell, line, exec }),
        ...patchTools(offer),
        ...(offer.config.raw["include_plan_tool"] !== false && wants(offer, "update_plan") ? [updatePlan] : []),
        ...(offer.model.supportsImages && offer.config.features["view_image"] !== false ? [image] : []),
        ...(offer.config.features["request_permissions_tool"] === true ? [requestPermissions] : []),
        ...(offer.interactive && wants(offer, "experimental_request_user_input") ? (questions[Number(everyMode)] ?? []) : []),
        ...(offer.config.webSearch === "disabled" ? [] : [webSearch(offer.config.webSearch, offer.config.webSearchOptions)]),
      ];
    },
  };
}

/** `[tools.<name>] enabled = false` takes a tool away. */
function wants({ config: { raw } }: Offer, name: string): boolean {
  const tools = isTable(raw["tools"]) ? raw["tools"] : {};
  const own = isTable(tools[name]) ? tools[name] : {};
  return own["enabled"] !== false;
}

/**
 * Free text under a grammar where the model knows it, else a function; "none" edits by a here-document in the shell.
 * `features.apply_patch_freeform` decides otherwise for every model.
 */
function patchTools({ model, config }: Offer): Tool[] {
  if (model.applyPatch === "none" || config.features["include_apply_patch_tool"] === false)
    return [{ ...applyPatchFunction, silent: true }];
  const freeform = config.features["apply_patch_freeform"] ?? model.applyPatch === "freeform";
  return [freeform ? applyPatchFreeform : applyPatchFunction];
}

/**
 * The shell that the model was trained on; an unknown model is offered the full set, and every shell's name is understood whichever was
 * offered. `features.unified_exec = false` leaves exec_command out.
 */
function shellTools({ model, config }: Offer, { shell: words, line, exec }: { shell: Tool; line: Tool; exec: Tool }): Tool[] {
  const unified = config.features["unified_exec"] !== false;
  const preferred = model.shellTool === "exec_command" && !unified ? "shell_command" : model.shellTool;
  const offered = (name: typeof preferred): boolean => preferred === "all" || preferred === name;
  return [
    when(offered("exec_command") && unified, exec),
    when(offered("exec_command") && unified, writeStdin),
    when(offered("shell_command"), line),
    when(offered("shell"), words),
  ];
}

const when = (offered: boolean, tool: Tool): Tool => (offered ? tool : { ...tool, silent: true });
