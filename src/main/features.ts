/** Switches feature flags of the user's settings on and off, for the command line. */
import { featureAliases, featureRows, foreignFeatures } from "../config/features.ts";
import type { App } from "../server/app.ts";

/** False for a name that neither we nor Codex know. Flags of Codex alone are written too: both programs share the file. */
export function setFeature({ config }: Pick<App, "config">, name: string, enabled: boolean): boolean {
  const known = [featureRows, featureAliases].some((rows) => Object.hasOwn(rows, name)) || foreignFeatures.has(name);
  if (known) config.write([{ keyPath: `features.${name}`, value: enabled, mergeStrategy: "replace" }]);
  return known;
}
