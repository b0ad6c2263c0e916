/** Built-in tools and when each is offered. Adding one: write its file, add its line here. */
import type { Surroundings } from "../core/ports/surroundings.ts";
import type { Offer, Tool, ToolSource } from "../core/ports/tool.ts";
import { isTable } from "../lib/toml.ts";
import { applyPatchFreeform, applyPatchFunction } from "./apply-patch.ts";
import { askUserQuestion } from "./ask-user-question.ts";
import { readDocument } from "./documents/read-document.ts";
import { edit, write } from "./edit.ts";
import { execCommand } from "./exec-command.ts";
import { requestPermissions } from "./request-permissions.ts";
import { type QuestionRule, requestUserInput } from "./request-user-input.ts";
import { shell } from "./shell.ts";
import { shellCommand } from "./shell-command.ts";
import { updatePlan } from "./update-plan.ts";
import { viewImage } from "./view-image.ts";
import { hostedWebFetch, webFetch } from "./web/web-fetch.ts";
import { webSearch } from "./web-search.ts";
import { writeStdin } from "./write-stdin.ts";

export interface BuiltInOptions {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asked for when the first tools are offered. */
  readonly shellPath: () => string;
  readonly imageDataUrl: Surroundings["imageDataUrl"];
  readonly fittedDataUrl: Surroundings["fittedDataUrl"];
}

export function builtInTools({ version, env, shellPath, imageDataUrl, fittedDataUrl }: BuiltInOptions): ToolSource {
  let shells: ShellTools | undefined;
  const page = webFetch({ version, env });
  // The same tools as for the last request wherever nothing changed: each one's schema is written down only once.
  const image = perKey((model: Offer["model"]) => viewImage((file) => imageDataUrl(file, model.imageLimits)));
  const document = perKey((model: Offer["model"]) => readDocument(model, fittedDataUrl));
  const search = perKey(hostedSearch);
  return {
    tools(offer) {
      const { config, model } = offer;
      const hasMachine = offer.settings.hasMachine !== false;
      shells ??= shellToolsFor(shellPath());
      return [
        ...(hasMachine ? [...shellTools(offer, shells), ...editTools(offer)] : []),
        ...(config.raw["include_plan_tool"] !== false && wants(offer, "update_plan") ? [updatePlan] : []),
        ...(hasMachine && model.supportsImages && config.features["view_image"] !== false ? [image(model)] : []),
        ...(hasMachine && wants(offer, "read_document") ? [document(model)] : []),
        ...(hasMachine && config.features["request_permissions_tool"] === true ? [requestPermissions] : []),
        ...(offer.interactive && wants(offer, "experimental_request_user_input") ? questionTools(offer) : []),
        ...webTools(offer, page, search(config)),
      ];
    },
  };
}

/** What `make` makes of each object, made once. */
function perKey<K extends object, T extends object>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}

const hostedSearch = ({ webSearch: mode, webSearchOptions }: Offer["config"]): readonly Tool[] =>
  mode === "disabled" ? [] : [webSearch(mode, webSearchOptions)];

/** `[tools.<name>] enabled = false` disables a tool. */
function wants({ config: { raw } }: Offer, name: string): boolean {
  const tools = isTable(raw["tools"]) ? raw["tools"] : {};
  const own = isTable(tools[name]) ? tools[name] : {};
  return own["enabled"] !== false;
}

/**
 * Run by the provider where it can, else one page at a time from here. `tools.web_fetch = false` disables the latter; it is also not
 * offered where the sandbox has no network and nobody may be asked.
 */
function webTools({ config, model, settings }: Offer, page: Tool, search: readonly Tool[]): readonly Tool[] {
  const { webSearch: mode } = config;
  if (mode === "live" && model.hosted.webFetch) return [...search, hostedWebFetch];
  const tools = isTable(config.raw["tools"]) ? config.raw["tools"] : {};
  const opensPages = mode !== "disabled" && model.hosted.webSearch;
  return tools["web_fetch"] === false ? search : [...search, when(!opensPages && mayReach(settings), page)];
}

function mayReach({ sandboxPolicy, approvalPolicy }: Offer["settings"]): boolean {
  const isOpen =
    sandboxPolicy.type === "dangerFullAccess" || sandboxPolicy.networkAccess === true || sandboxPolicy.networkAccess === "enabled";
  return isOpen || (typeof approvalPolicy === "string" ? approvalPolicy !== "never" : approvalPolicy.granular.sandbox_approval);
}

/** Questions are offered where they work; `features.default_mode_request_user_input = false` limits them to Plan mode, as Codex does. */
function questionTools({ config, settings }: Offer): Tool[] {
  const mayAsk = config.features["default_mode_request_user_input"] === false ? inPlanMode : inEveryMode;
  return [when(mayAsk(settings), inputTool(mayAsk)), when(false, questionTool(mayAsk))];
}

const inEveryMode: QuestionRule = () => true;
const inPlanMode: QuestionRule = ({ mode, isPairing }) => mode === "plan" || isPairing === true;
// Called through a function of their own: a start must not load what only turns need.
const inputTool = perKey((mayAsk: QuestionRule) => requestUserInput(mayAsk));
const questionTool = perKey((mayAsk: QuestionRule) => askUserQuestion(mayAsk));

/**
 * A patch for models trained on it, as free text where they know the grammar; `edit` and `write` for all others. Either is
 * accepted whichever was offered. `features.include_apply_patch_tool` and `features.apply_patch_freeform` override this for every model.
 */
function editTools({ model, config: { features } }: Offer): Tool[] {
  const freeform = features["apply_patch_freeform"] ?? model.applyPatch === "freeform";
  const patch = freeform ? applyPatchFreeform : applyPatchFunction;
  if (model.applyPatch === "none" || features["include_apply_patch_tool"] === false)
    return [patch, edit, write].map((tool) => when(false, tool));
  const byPatch = model.edit === "patch" || features["apply_patch_freeform"] === true || features["include_apply_patch_tool"] === true;
  return [when(byPatch, patch), when(!byPatch, edit), when(!byPatch, write)];
}

/** A window large enough for the output of background commands. */
const roomyWindow = 64_000;

/**
 * One way to run a command: the one that the model was trained on, or by the size of its window. Every shell's name is accepted whichever
 * was offered. `features.unified_exec = false` leaves exec_command out.
 */
function shellTools({ model, config }: Offer, { shell: shellTool, line, exec }: ShellTools): Tool[] {
  const isRoomy = (config.contextWindow ?? model.contextWindow) >= roomyWindow;
  const preferred = model.shellTool === "all" ? "exec_command" : model.shellTool;
  const isExec = preferred === "exec_command" && isRoomy && config.features["unified_exec"] !== false;
  return [
    when(isExec, exec),
    when(isExec, writeStdin),
    when(!isExec && preferred !== "shell", line),
    when(preferred === "shell", shellTool),
  ];
}

type ShellTools = ReturnType<typeof shellToolsFor>;
const shellToolsFor = (path: string) => ({ shell: shell(path), line: shellCommand(path), exec: execCommand(path) });

const when = (isOffered: boolean, tool: Tool): Tool => (isOffered ? tool : silent(tool));
const silent = perKey((tool: Tool): Tool => ({ ...tool, silent: true }));
