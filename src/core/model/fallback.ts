/** The fallback model: used for the rest of a turn when the first is overloaded, if `parley.fallback_model` names one. People are warned. */
import type { ModelFailure } from "../ports/model-client.ts";
import type { Run } from "./run.ts";

/** The provider responds but is overloaded: too many requests, or a server error that says so. */
export function isOverloaded({ httpStatus, message, kind }: ModelFailure): boolean {
  if (kind === "usageLimitExceeded") return false;
  return httpStatus === 429 || httpStatus === 503 || httpStatus === 529 || /overloaded|over capacity|no capacity/i.test(message);
}

/** Whether the run continues with a different model. */
export function fallBack(run: Run, failure: ModelFailure): boolean {
  const { turn, settings } = run;
  const { config, ports, id: threadId } = turn.thread;
  const { fallbackModel: model, fallbackModelProvider } = config;
  const isBusy = isOverloaded(failure) || (failure.httpStatus !== undefined && failure.httpStatus >= 500);
  if (model === undefined || !isBusy || turn.fallback !== undefined || model === settings.model) return false;
  const provider = fallbackModelProvider ?? ports.chooseModel(config, model, undefined).provider;
  if (config.providers[provider] === undefined) {
    turn.notify("warning", { threadId, message: `parley.fallback_model_provider: no provider is named \`${provider}\`` });
    return false;
  }
  turn.fallback = { model, modelProvider: provider };
  turn.notify("warning", {
    threadId,
    message: `${settings.model} is overloaded (${failure.message}). This turn continues with ${model}; the next one uses ${settings.model} again.`,
  });
  return true;
}
