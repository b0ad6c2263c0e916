/** What `--oss` means on this machine, as config overrides. */
import { createConfigStore } from "../config/load.ts";
import { chooseLocalModel } from "../models/model-lists.ts";
import { codexHomeFrom } from "./compose.ts";

const patienceMs = 3000;

export interface LocalChoice {
  /** The name given on the command line; defaults to `oss_provider` of the settings. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The value of each `-c`. */
  readonly flags: readonly string[];
}

/** Rejects with a message that says what to start when no local model server answers. */
export async function localModel(options: LocalChoice): Promise<string[]> {
  const choice = { model: options.model, provider: options.provider ?? usualProvider(options.flags) };
  const { provider, model } = await chooseLocalModel(choice, process.env, AbortSignal.timeout(patienceMs));
  return [`model_provider=${JSON.stringify(provider.id)}`, `model=${JSON.stringify(model)}`];
}

function usualProvider(cliOverrides: readonly string[]): string | undefined {
  const { env } = process;
  const { config } = createConfigStore({ codexHome: codexHomeFrom(env), env, cliOverrides }).read(undefined);
  const named: unknown = Reflect.get(config, "oss_provider");
  return typeof named === "string" ? named : undefined;
}
