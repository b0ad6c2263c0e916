/** Reads `parley.models`: the user's overrides for single models. */
import { array, boolean, literals, maybe, named, natural, object, parse, record, string } from "../lib/schema.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import type { ModelOverride } from "./catalog.ts";

const Models = named("ModelOverrides", () =>
  record(
    object({
      context_window: maybe(natural()),
      max_output_tokens: maybe(natural()),
      images: maybe(boolean()),
      pdf: maybe(boolean()),
      tools: maybe(boolean()),
      parallel_tool_calls: maybe(boolean()),
      efforts: maybe(array(string())),
      default_effort: maybe(string()),
      verbosity: maybe(string()),
      edit: maybe(literals("patch", "replace")),
      shell_tool: maybe(literals("exec_command", "shell_command", "shell")),
    }),
  ),
);

type Raw = Readonly<Record<string, unknown>>;
const none: Readonly<Record<string, ModelOverride>> = Object.freeze({});

/** The same value for the same config, so that the catalogue can detect that nothing has changed. Config itself reports invalid values. */
export function createOverrides(raw: () => Raw): () => Readonly<Record<string, ModelOverride>> {
  const read = new WeakMap<Raw, Readonly<Record<string, ModelOverride>>>();
  return () => {
    const now = raw();
    const known = read.get(now);
    if (known !== undefined) return known;
    const made = overridesFrom(now);
    read.set(now, made);
    return made;
  };
}

function overridesFrom(raw: Raw): Readonly<Record<string, ModelOverride>> {
  const own = raw["parley"];
  const models = typeof own === "object" && own !== null && "models" in own ? parse(Models, own.models) : undefined;
  if (models === undefined) return none;
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => [
      name,
      withoutUndefined({
        contextWindow: positive(model.context_window),
        maxOutputTokens: positive(model.max_output_tokens),
        images: model.images ?? undefined,
        pdf: model.pdf ?? undefined,
        tools: model.tools ?? undefined,
        parallelToolCalls: model.parallel_tool_calls ?? undefined,
        efforts: model.efforts ?? undefined,
        defaultEffort: model.default_effort ?? undefined,
        verbosity: model.verbosity ?? undefined,
        edit: model.edit ?? undefined,
        shellTool: model.shell_tool ?? undefined,
      }) as ModelOverride,
    ]),
  );
}

const positive = (value: number | null | undefined): number | undefined =>
  value === null || value === undefined || value <= 0 ? undefined : value;
