/** What `--oss` means on this machine, for the subcommands that accept it. */

import { errorMessage } from "../lib/error-text.ts";
import { type LocalChoice, localModel } from "../main/local-model.ts";
import { StartError } from "./usage.ts";

/** Throws StartError that says what to start when no local model server answers. */
export async function localOverrides(choice: LocalChoice): Promise<string[]> {
  try {
    return await localModel(choice);
  } catch (error) {
    throw new StartError(`--oss: ${errorMessage(error)}`);
  }
}
