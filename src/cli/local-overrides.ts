/** What `--oss` stands for on this machine, for the subcommands that take it. */

import { errorMessage } from "../lib/error-text.ts";
import { type LocalChoice, localModel } from "../main/local-model.ts";
import { StartError } from "./usage.ts";

/** Throws StartError with what to start where no local model server answers. */
export async function localOverrides(choice: LocalChoice): Promise<string[]> {
  try {
    return await localModel(choice);
  } catch (error) {
    throw new StartError(`--oss: ${errorMessage(error)}`);
  }
}
