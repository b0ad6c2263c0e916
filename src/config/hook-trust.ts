/** How the file stores the user's trust in a hook. A plugin's hook has two digests, which Codex stores under two keys and shows as one text. */
import { isTable, type TomlTable } from "../lib/toml.ts";
import type { ConfigEdit } from "../protocol/config.ts";
import { formatKeyPath, parseKeyPath } from "./merge.ts";
import { text } from "./read-value.ts";

/** The trusted digest, as `hooks/list` shows it; undefined if there is none. */
export function trustedHash(state: TomlTable): string | undefined {
  const definition = text(state, "trusted_hash");
  const content = text(state, "trusted_content_hash");
  return definition === undefined || content === undefined ? definition : `${definition}/${content}`;
}

/** An edit in the file's format: one text with two digests becomes two keys, and both are written together. */
export function splitTrust(edit: ConfigEdit): ConfigEdit[] {
  const parts = parseKeyPath(edit.keyPath);
  if (!Array.isArray(parts) || parts[0] !== "hooks" || parts[1] !== "state") return [edit];
  if (parts.length === 4 && parts[3] === "trusted_hash") {
    const [definition, content] = halvesOf(edit.value);
    const beside = formatKeyPath([...parts.slice(0, 3), "trusted_content_hash"]);
    return [
      { ...edit, value: definition },
      { ...edit, keyPath: beside, value: content },
    ];
  }
  if (parts.length === 3) return [{ ...edit, value: splitState(edit.value) }];
  if (parts.length !== 2 || !isTable(edit.value)) return [edit];
  return [{ ...edit, value: Object.fromEntries(Object.entries(edit.value).map(([key, state]) => [key, splitState(state)])) }];
}

function splitState(state: unknown): unknown {
  if (!isTable(state)) return state;
  const [definition, content] = halvesOf(state["trusted_hash"]);
  return content === null ? state : { ...state, trusted_hash: definition, trusted_content_hash: content };
}

function halvesOf(value: unknown): [definition: unknown, content: string | null] {
  const cut = typeof value === "string" ? value.indexOf("/") : -1;
  return typeof value === "string" && cut >= 0 ? [value.slice(0, cut), value.slice(cut + 1)] : [value, null];
}
