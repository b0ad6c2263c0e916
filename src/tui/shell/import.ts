/** `/import`: moves in from another agent on the server's machine, what the person agrees to. */
import { cleanLine } from "../../lib/terminal-text.ts";
import type { ExternalAgentConfigImportTypeResult, ExternalAgentConfigMigrationItem } from "../../protocol/external-agent.ts";
import { createPicker } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";

export async function importFromOthers(shell: Shell): Promise<void> {
  const { store } = shell;
  const client = shell.client();
  const cwd = store.conversation.settings?.cwd;
  const { items } = await client.call("externalAgentConfig/detect", { includeHome: true, cwds: cwd === undefined ? [] : [cwd] });
  if (items.length === 0) return store.note("info", "There is nothing to import from another agent");
  store.note("info", "Found of another agent", items.map(({ description }) => cleanLine(description)).join("\n"));
  const choice = await shell.pick(
    createPicker({
      title: "Import all of this?",
      items: [
        { id: "no", label: "No", detail: "nothing is changed" },
        { id: "yes", label: "Yes", detail: "nothing that exists is overwritten; hooks and MCP servers wait until you trust them" },
      ],
    }),
  );
  if (choice !== "yes") return;
  const results = await importItems(shell, items);
  const failures = results.flatMap((result) => result.failures.map(({ message }) => cleanLine(message)));
  const done = results.flatMap(({ successes }) => successes.map(({ source, target }) => cleanLine(`${source} → ${target}`)));
  if (done.length > 0) store.note("success", `Imported ${done.length}`, done.join("\n"));
  if (failures.length > 0) store.note("warning", "Not imported", failures.join("\n"));
}

/** The end may be announced before the response has been read, and other clients import too. */
async function importItems(
  shell: Shell,
  migrationItems: ExternalAgentConfigMigrationItem[],
): Promise<readonly ExternalAgentConfigImportTypeResult[]> {
  const ended = new Map<string, readonly ExternalAgentConfigImportTypeResult[]>();
  const done = Promise.withResolvers<void>();
  let importId: string | undefined;
  const check = (): void => {
    if (importId !== undefined && ended.has(importId)) done.resolve();
  };
  const client = shell.client();
  const stop = client.on("externalAgentConfig/import/completed", (params) => {
    ended.set(params.importId, params.itemTypeResults);
    check();
  });
  const onLost = (): void => done.reject(new Error("the connection was lost during the import"));
  client.ended.addEventListener("abort", onLost, { once: true });
  try {
    ({ importId } = await client.call("externalAgentConfig/import", { migrationItems }));
    check();
    await done.promise;
    return ended.get(importId) ?? [];
  } finally {
    stop();
    client.ended.removeEventListener("abort", onLost);
  }
}
