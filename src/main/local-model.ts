/** What `--oss` stands for on this machine, as config overrides. */
import { chooseLocalModel } from "../models/model-lists.ts";

const patienceMs = 3000;

/** Rejects with a text that says what to start when no local model server answers. */
export async function localModel(wanted: { provider: string | undefined; model: string | undefined }): Promise<string[]> {
  const { provider, model } = await chooseLocalModel(wanted, process.env, AbortSignal.timeout(patienceMs));
  return [`model_provider=${JSON.stringify(provider.id)}`, `model=${JSON.stringify(model)}`];
}
