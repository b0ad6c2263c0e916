/** The extension's settings, read when they are needed, so that a change takes effect at once. */
import { workspace } from "vscode";

const read = <T>(key: string, usual: T): T => workspace.getConfiguration("parley").get<T>(key) ?? usual;

export const settings = {
  serverPath: () => read("server.path", "").trim(),
  serverArgs: () => read<readonly string[]>("server.args", ["app-server"]),
  serverEnv: () => read<Readonly<Record<string, string>>>("server.env", {}),
  connect: () => read("server.connect", "").trim(),
  dialect: () => read<"current" | "seed-000">("server.dialect", "current"),
  approvals: () => read<"card" | "modal" | "picker">("approvals.display", "card"),
  questions: () => read<"dialog" | "card">("questions.display", "dialog"),
  opensDiffs: () => read("changes.openDiff", true),
  tellsContext: () => read("context.automatic", true),
  linksTerminals: () => read("terminal.link", true),
  servesCodex: () => read("terminal.codex", true),
  offersTools: () => read("tools.enabled", true),
  confirmsRename: () => read("tools.confirmRename", true),
  notifies: () => read<"hidden" | "always" | "never">("notifications", "hidden"),
  sessionScope: () => read<"workspace" | "all">("sessions.scope", "workspace"),
};

/** A change of these requires a new server. */
export const serverKeys = [
  "parley.server.path",
  "parley.server.args",
  "parley.server.env",
  "parley.server.connect",
  "parley.server.dialect",
];
