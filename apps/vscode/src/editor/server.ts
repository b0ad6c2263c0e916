/** Opens the configured client: a child process over stdio, or a connection to a running server. */
import { existsSync } from "node:fs";
import path from "node:path";
import { type ExtensionContext, type LogOutputChannel, workspace } from "vscode";
import { type Client, type ClientOptions, connectClient, spawnClient } from "../../../../src/client/client.ts";
import { restrictedReason } from "../host/restricted-page.ts";
import { serverCommand } from "../host/server-command.ts";
import { settings } from "./settings.ts";

/** The token for a remote server is stored in the editor's secret storage, never in the settings. */
export const tokenKey = "parley.server.token";

export async function openServer(
  context: ExtensionContext,
  log: LogOutputChannel,
  taking: Pick<ClientOptions, "onRequest">,
): Promise<Client> {
  if (!workspace.isTrusted) throw new Error(restrictedReason);
  const options = { ...clientOptions(context, log), ...taking };
  const address = settings.connect();
  if (address !== "") {
    log.info(`connecting to ${address}`);
    const token = await context.secrets.get(tokenKey);
    return connectClient(address, { ...options, ...(token === undefined ? {} : { token }) });
  }
  const node = path.join(context.extensionPath, "server", process.platform === "win32" ? "node.exe" : "node");
  const { command, env } = serverCommand({
    path: settings.serverPath(),
    args: settings.serverArgs(),
    script: path.join(context.extensionPath, "server", "parley.cjs"),
    bundledNode: existsSync(node) ? node : undefined,
    host: { execPath: process.execPath, nodeVersion: process.versions.node, isElectron: process.versions["electron"] !== undefined },
  });
  log.info(`starting ${command.join(" ")}`);
  return spawnClient({
    ...options,
    command,
    cwd: workspaceFolder(),
    env: { ...process.env, ...env, ...settings.serverEnv() },
    onStderr: (line) => log.info(`server: ${line}`),
  });
}

function clientOptions(context: ExtensionContext, log: LogOutputChannel): ClientOptions {
  const { version }: { version: string } = context.extension.packageJSON;
  const dialect = settings.dialect();
  return {
    clientInfo: { name: "parley_vscode", title: "Parley for VS Code", version },
    capabilities: {
      experimentalApi: true,
      optOutNotificationMethods: [],
      ...(dialect === "current" ? {} : { extensions: { parley: { dialect } } }),
    },
    onTrouble: (error) => log.warn(error.message),
  };
}

/** The folder that sessions start in: the window's first one. */
export const workspaceFolder = (): string | undefined =>
  workspace.workspaceFolders?.find((folder) => folder.uri.scheme === "file")?.uri.fsPath;
