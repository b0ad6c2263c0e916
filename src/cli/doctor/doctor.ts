/** `parley doctor`: what works on this machine, one line each, with the fix for what does not. */
import { existsSync } from "node:fs";
import path from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { readBoundedText } from "../../lib/bounded-read.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { certificateFiles } from "../../lib/network.ts";
import { findSystemProgram } from "../../lib/program.ts";
import { redactor } from "../../lib/redact.ts";
import { doctorHelp } from "../help/small-helps.ts";
import { type App, type Config, withApp } from "../own-app.ts";
import { type Globals, print, printJson, readFlags, refuseMore } from "../usage.ts";
import { checkHome } from "./home.ts";
import { checkProvider } from "./provider.ts";
import { checkSandbox } from "./sandbox.ts";

export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  readonly fix?: string;
}
export type Check = (app: App, config: Config | undefined) => Promise<readonly Finding[]>;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, doctorHelp);
  refuseMore(positionals);
  return withApp(globals, values.config ?? [], async (app) => {
    const findings = await examine(app);
    if (values.json === true) printJson(findings);
    else print(findings.map(lineOf).join(""));
    return findings.some(({ state }) => state === "fail") ? 1 : 0;
  });
}

/** All checks in parallel; one that throws is a finding too. */
export async function examine(app: App): Promise<Finding[]> {
  let config: Config | undefined;
  const settings = tryConfig(app, (found) => {
    config = found;
  });
  const checks: [string, Check][] = [
    ["node", checkNode],
    ["home", checkHome],
    ["sandbox", checkSandbox],
    ["git", checkGit],
    ["network", checkNetwork],
    ["provider", checkProvider],
    ["mcp", checkMcp],
    ["skills", checkSkills],
  ];
  const found = await Promise.all(
    checks.map(([name, check]) =>
      check(app, config).catch((error: unknown): Finding[] => [{ name, state: "fail", text: errorMessage(error) }]),
    ),
  );
  const [node = [], ...rest] = found;
  return [...node, ...settings, ...rest.flat()];
}

function tryConfig(app: App, take: (config: Config) => void): Finding[] {
  const file = path.join(app.codexHome, "config.toml");
  try {
    const config = app.config.effective(process.cwd());
    take(config);
    const warnings = config.warnings.map((text): Finding => ({ name: "config", state: "warn", text }));
    const text = existsSync(file) ? file : `no ${file}; every setting has its standard value`;
    return warnings.length === 0 ? [{ name: "config", state: "ok", text }] : warnings;
  } catch (error) {
    return [{ name: "config", state: "fail", text: errorMessage(error), fix: `mend ${file}; until then no thread can start` }];
  }
}

const checkNode: Check = async () => {
  const wanted = manifest.config.runtime.replace(">=", "");
  const isEnough = compareVersions(process.versions.node, wanted) >= 0;
  const text = `Node ${process.versions.node} on ${process.platform}-${process.arch}`;
  return [isEnough ? { name: "node", state: "ok", text } : { name: "node", state: "fail", text, fix: `install Node ${wanted} or newer` }];
};

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const checkGit: Check = async (app) => {
  if (findSystemProgram("git") === undefined)
    return [
      {
        name: "git",
        state: "warn",
        text: "git is not found in the system's folders",
        fix: "install git: diffs, reviews and worktrees need it",
      },
    ];
  const root = await app.git.root(process.cwd());
  return [{ name: "git", state: "ok", text: root === undefined ? "this folder is in no repository" : `repository ${root}` }];
};

/** The network settings of the environment; shown only if there are any. */
const checkNetwork: Check = async () => {
  const { env } = process;
  const clean = redactor(env);
  const proxies = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => {
    const value = env[name.toLowerCase()] ?? env[name] ?? "";
    return value === "" ? [] : [`${name}=${clean(value)}`];
  });
  const files = [
    ...certificateFiles(env),
    ...(env["NODE_EXTRA_CA_CERTS"] ? [["NODE_EXTRA_CA_CERTS", env["NODE_EXTRA_CA_CERTS"]] as const] : []),
  ];
  const findings = files.map(async ([variable, file]): Promise<Finding> => {
    const text = await readBoundedText(file, 16 * 1024 * 1024).catch(() => undefined);
    const count = text?.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
    if (count > 0) return { name: "network", state: "ok", text: `${variable}: ${count} certificates in ${file}` };
    const fix = `let ${variable} name a file of PEM certificates, or unset it`;
    return {
      name: "network",
      state: "fail",
      text: `${variable}: ${file} ${text === undefined ? "cannot be read" : "holds no certificate"}`,
      fix,
    };
  });
  const unused = proxiesWithoutEffect(env).map(
    ([name, reason]): Finding => ({
      name: "network",
      state: "warn",
      text: `${name}: ${reason}`,
      fix: "set HTTPS_PROXY to the http:// address of a proxy",
    }),
  );
  const proxy: Finding[] = proxies.length === 0 ? [] : [{ name: "network", state: "ok", text: `through a proxy: ${proxies.join(", ")}` }];
  return [...proxy, ...unused, ...(await Promise.all(findings))];
};

/** Addresses that other programs use but our requests do not. */
const proxiesWithoutEffect = (env: NodeJS.ProcessEnv): (readonly [string, string])[] =>
  ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"].flatMap((name): (readonly [string, string])[] =>
    /^socks/i.test(env[name.toLowerCase()] || env[name] || "") ? [[name, "SOCKS proxies are not used"]] : [],
  );

const checkMcp: Check = async (app, config) => {
  const servers = Object.values(config?.mcpServers ?? {}).filter(({ enabled }) => enabled);
  if (config === undefined || servers.length === 0) return [];
  const statuses = await app.mcp.statuses({ threadId: undefined, config, cwd: process.cwd() }, { detail: "toolsAndAuthOnly" });
  return statuses.map(({ name: server, tools, toolsError, authStatus }): Finding => {
    const name = "mcp";
    if (typeof toolsError !== "string") return { name, state: "ok", text: `${server}: ${Object.keys(tools).length} tools` };
    const definition = config.mcpServers[server];
    if (definition !== undefined && !app.mcp.isAccepted(definition))
      return { name, state: "warn", text: `${server}: ${toolsError}`, fix: `parley mcp accept ${server}` };
    const fix =
      authStatus === "notLoggedIn"
        ? `run \`parley mcp login ${server}\``
        : `check [mcp_servers.${server}] in config.toml, or set enabled = false there`;
    return { name, state: "fail", text: `${server}: ${toolsError}`, fix };
  });
};

const checkSkills: Check = async (app, config) => {
  if (config === undefined) return [];
  const { skills, errors } = await app.skills.list(process.cwd(), { forceReload: true });
  const broken = errors.map(
    ({ path: file, message }): Finding => ({ name: "skills", state: "warn", text: `${file}: ${message}`, fix: "mend or remove the file" }),
  );
  return broken.length > 0 ? broken : [{ name: "skills", state: "ok", text: `${skills.length} skills` }];
};

const marks = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
export const lineOf = ({ name, state, text, fix }: Finding): string =>
  `${marks[state]}  ${name.padEnd(9)} ${text}${fix === undefined ? "" : ` -> ${fix}`}\n`;
