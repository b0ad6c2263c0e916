/** Makes messages comparable: ids, times and folders of one run are replaced by names that every run shares. */
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** `folders` maps real paths to the names that stand for them. */
export function neutral(value: unknown, folders: Readonly<Record<string, string>> = {}): unknown {
  const ids = new Map<string, string>();
  const text = (given: string): string => {
    let result = given;
    for (const [folder, name] of Object.entries(folders)) result = result.replaceAll(folder, name);
    return result.replace(uuid, (id) => {
      const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
      ids.set(id, known);
      return known;
    });
  };
  const walk = (given: unknown, key: string): unknown => {
    if (typeof given === "string") return text(given);
    if (typeof given === "number" && /(?:At|AtMs)$/.test(key)) return "<time>";
    if (typeof given === "number" && /^duration(?:Ms)?$/.test(key)) return "<duration>";
    if (Array.isArray(given)) return given.map((item) => walk(item, key));
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [name, walk(item, name)]));
  };
  return walk(value, "");
}
