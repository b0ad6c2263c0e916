/** Which server program the extension starts: the configured one, or the bundled one on a Node that can run it. */

export interface ServerChoice {
  /** From the settings; empty means the bundled server. */
  readonly path: string;
  readonly args: readonly string[];
  /** The bundled server's script. */
  readonly script: string;
  /** The Node that came with the extension, if one did. */
  readonly bundledNode: string | undefined;
  /** The program that runs the extension itself. */
  readonly host: { readonly execPath: string; readonly nodeVersion: string; readonly isElectron: boolean };
}

export interface ServerCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The oldest Node version that the bundled server supports. */
const oldest = [24, 21] as const;

export function serverCommand({ path, args, script, bundledNode, host }: ServerChoice): ServerCommand {
  if (path !== "") return { command: [path, ...args], env: {} };
  if (bundledNode !== undefined) return { command: [bundledNode, script, ...args], env: {} };
  // The editor's own program runs as Node if this variable is set.
  if (canRun(host.nodeVersion)) {
    const env: Readonly<Record<string, string>> = host.isElectron ? { ELECTRON_RUN_AS_NODE: "1" } : {};
    return { command: [host.execPath, script, ...args], env };
  }
  return { command: ["node", script, ...args], env: {} };
}

function canRun(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}
