/** Turns `-c key=value`, `--enable` and `--disable` into config overrides. */
import { UsageError } from "./usage.ts";

/** The value is TOML; what is no TOML is taken as the text it is, so that `-c model=o3` needs no quotes. */
export async function readOverrides(
  pairs: readonly string[],
  enable: readonly string[] = [],
  disable: readonly string[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const overrides: Record<string, unknown> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at).trim();
    if (at === -1 || key === "") throw new UsageError(`invalid override '${pair}': expected key=value`);
    overrides[key] = await tomlValue(pair.slice(at + 1).trim());
  }
  for (const feature of enable) overrides[`features.${feature}`] = true;
  for (const feature of disable) overrides[`features.${feature}`] = false;
  return overrides;
}

async function tomlValue(text: string): Promise<unknown> {
  if (text === "true" || text === "false") return text === "true";
  const { parse } = await import("smol-toml");
  try {
    return parse(`value = ${text}`)["value"];
  } catch {
    return text;
  }
}
