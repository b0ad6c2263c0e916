/** The composition root: the only file that knows which model clients, sandbox, store and tools are in use. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { createAccounts } from "../auth/accounts.ts";
import { createMcpSignIn } from "../auth/mcp-sign-in.ts";
import { createConfigStore } from "../config/load.ts";
import { createProjectTrust } from "../config/project-trust.ts";
import { LearnedWindows } from "../core/context/learned-windows.ts";
import type { Config, ProviderConfig } from "../core/ports/config.ts";
import type { CorePorts } from "../core/ports/core-ports.ts";
import type { Log } from "../core/ports/log.ts";
import { SubAgents } from "../core/thread/agents.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { Threads } from "../core/thread/threads.ts";
import { commandEnvironment } from "../exec/environment.ts";
import { createNotifier } from "../exec/notifier.ts";
import { createCommandRunner } from "../exec/runner.ts";
import { findSystemProgram } from "../lib/program.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { createMcpAcceptance } from "../mcp/acceptance.ts";
import { createMcpServers } from "../mcp/servers.ts";
import { createModelCatalog } from "../models/catalog.ts";
import { checkKey, modelSource } from "../models/model-lists.ts";
import { createOverrides } from "../models/overrides.ts";
import { createProviderLists } from "../models/provider-lists.ts";
import {
  builtInProvider,
  builtInProviderIds,
  chooseModel,
  isUnaskedTour,
  isUsable,
  noModelText,
  providerForModel,
} from "../models/providers.ts";
import { createModelClients } from "../models/registry.ts";
import type { SetUp } from "../models/try-provider.ts";
import { announceAccount, askForTokens } from "../server/account.ts";
import type { App, Dialect } from "../server/app.ts";
import { withClientTerminals } from "../server/client-terminals.ts";
import { unreadWatcher } from "../server/read-state.ts";
import { Relay } from "../server/relay/relay.ts";
import { Subscriptions } from "../server/subscriptions.ts";
import { announceConfigChanges } from "../server/thread-settings.ts";
import { WireCheck } from "../server/wire-check.ts";
import { createSkills } from "../skills/skills.ts";
import { createOutputFiles } from "../store/outputs.ts";
import { createUndoStore } from "../store/undo.ts";
import { otelFrom } from "../telemetry/otel-settings.ts";
import { createTelemetry } from "../telemetry/telemetry.ts";
import { logWatcher, watched } from "../telemetry/watch-turns.ts";
import { agentTools } from "../tools/agents.ts";
import { dynamicTools } from "../tools/dynamic-tool.ts";
import { goalTools } from "../tools/goal.ts";
import { builtInTools } from "../tools/registry.ts";
import { createUsage } from "../usage/usage.ts";
import { createFileSearch } from "../workspace/file-search.ts";
import { createSnapshots } from "../workspace/snapshots.ts";
import { createSurroundings } from "../workspace/surroundings.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import { acceptProject } from "./accept-project.ts";
import { createExecPolicies, hasRules } from "./exec-policies.ts";
import { openGit } from "./git.ts";
import { createLiveSocket } from "./live-socket.ts";
import { openMigration } from "./moving-in.ts";
import { pluginsOnUse } from "./plugins-on-use.ts";
import { programFolders } from "./program-folders.ts";
import { secretSettings } from "./secret-settings.ts";
import { settingsInUse } from "./settings-in-use.ts";
import { localStorage, type Storage } from "./storage.ts";
import { systemClock, systemIds, systemName } from "./system.ts";
import { unloadUnwatched } from "./unload-unwatched.ts";
import { openV1 } from "./v1.ts";
import { openGoals, openQueue } from "./waiting-work.ts";

export interface ComposeOptions {
  readonly log: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly codexHome?: string;
  /** The value of each `-c`. */
  readonly cliOverrides?: readonly string[];
  /** The flags come from the only client of this process: they take precedence over the settings of a resumed thread. */
  readonly flagsAreRequests?: boolean | undefined;
  /** What this run ignores: the user's config.toml, every `.rules` file. */
  readonly ignore?: { readonly userConfig?: boolean | undefined; readonly rules?: boolean | undefined } | undefined;
  /** The user vouches for every hook of this run. */
  readonly trustHooks?: boolean | undefined;
  readonly compat?: Dialect | undefined;
  /** `CODEX_API_KEY` is used where an OpenAI account is required, before every stored sign-in: only for scripts and CI. */
  readonly takesCodexKey?: boolean | undefined;
  /** Of a fleet's worker; the local disk without it. */
  readonly storage?: Storage | undefined;
  /** The name of this machine's system where it is known already: to look it up takes a third of a millisecond. */
  readonly system?: string | undefined;
  /** Where the machine-wide settings and skills live; /etc/codex unless a test overrides it. */
  readonly systemDir?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** `CODEX_HOME`, else `~/.codex`: shared with every tool that reads the same threads and config. */
export function codexHomeFrom(env: Env): string {
  return path.resolve(env["CODEX_HOME"] || path.join(homedir(), ".codex"));
}

/** Nothing that an app starts needs the fleet's engine, and its address contains a password. */
function withoutEngine(env: Env): Env {
  const { PARLEY_FLEET: _, ...others } = env;
  return others;
}

export function createApp(options: ComposeOptions): App {
  const env = withoutEngine(options.env ?? process.env);
  const codexHome = options.codexHome ?? codexHomeFrom(env);
  const { log } = options;
  const clock = systemClock;
  const settings = settingsInUse(() => config.effective(process.cwd()));
  const inUse = settings.now;
  const catalog = createModelCatalog({
    overrides: createOverrides(() => inUse().raw),
    lists: createProviderLists({
      folder: path.join(codexHome, "parley", "cache", "models"),
      env,
      now: clock.now,
      onTrouble: (message) => log.info(message),
    }),
    sources: () => [inUse()].flatMap(({ providers, modelProvider }) => sourcesFor(providers[modelProvider], { env, credentials })),
    available: (provider) => hasKey(provider) || isUsable(provider, inUse().providers, env, isLoggedIn()),
    defaultModel: () => inUse().model,
  });
  const codexKey = options.takesCodexKey === true ? env["CODEX_API_KEY"]?.trim() || undefined : undefined;
  const isLoggedIn = codexKey === undefined ? whileThere(path.join(codexHome, "auth.json")) : () => true;
  const choose = (loggedIn: boolean) => chooseModel({ provider: undefined, model: undefined, providers: {}, env, loggedIn });
  const choices = new Map<boolean, ReturnType<typeof choose>>();
  const projectTrust = createProjectTrust(codexHome);
  const plugins = pluginsOnUse({ codexHome, trust: projectTrust, env, config: () => config, skills: () => skills, log });
  const configFiles = createConfigStore({
    ...{ codexHome, projectTrust, env },
    plugins: plugins.installed,
    cliOverrides: options.cliOverrides ?? [],
    flagsAreRequests: options.flagsAreRequests,
    ...(options.systemDir === undefined ? {} : { systemDir: options.systemDir }),
    ignoreUserFile: options.ignore?.userConfig,
    trustHooks: options.trustHooks,
    builtInProviders: builtIn(env, codexKey !== undefined),
    fallback: () => {
      const loggedIn = isLoggedIn();
      const chosen = choices.get(loggedIn) ?? choose(loggedIn);
      choices.set(loggedIn, chosen);
      return { modelProvider: chosen.provider, model: chosen.model };
    },
  });
  const config = settings.noticing(configFiles);
  const timeouts = (method: string): number | undefined => inUse().askTimeouts[method];
  const wireCheck = env["PARLEY_CHECK_WIRE"] === "1" ? new WireCheck(log) : undefined;
  const subscriptions = new Subscriptions({ clock, log, timeoutFor: timeouts, wireCheck });
  const live = createLiveSocket(codexHome, () => app);
  const report = (message: string): void => {
    log.warn(message);
    subscriptions.toAll("warning", { threadId: null, message });
  };
  const local = { codexHome, clock, ids: systemIds, log, socket: live, syncTurns: () => inUse().syncTurns, report };
  const storage = options.storage ?? localStorage(local);
  const { store, memories, lists } = storage;
  const { git, repositories, gitOptions } = openGit(codexHome, env);
  const surroundings = createSurroundings({ codexHome, git });
  const system = options.system ?? systemName();
  const program = programFolders();
  const runner = createCommandRunner({
    ...{ codexHome, program, secretFiles: secretSettings(() => inUse().raw, codexHome), mayStart: storage.mayStart },
    engine: () => env["PARLEY_SANDBOX_ENGINE"] || inUse().sandboxEngine,
    loginSnapshots: () => inUse().features["shell_snapshot"] !== false,
  });
  const { accounts, credentials, hasKey } = createAccounts({
    codexHome,
    env,
    config,
    clock,
    log,
    askTokens: (params, signal) => askForTokens(subscriptions, params, signal),
    keyOfEnvironment: codexKey,
    lacksModel: ({ modelProvider, raw }) => isUnaskedTour(modelProvider, raw, env),
    checkKey: async (key) => {
      const { providers, modelProvider } = inUse();
      const provider = providers[modelProvider]?.requiresOpenaiAuth === true ? providers[modelProvider] : providers["openai"];
      if (provider !== undefined) await checkKey(provider, key, env);
    },
    tryProvider: async (requested) => (await import("../models/try-provider.ts")).tryProvider(requested, inUse().providers, env),
  });
  const usage = createUsage({ codexHome, clock, credentials, config, prices: catalog.price });
  const skills = createSkills({
    codexHome,
    userHome: userHome(env),
    systemDir: options.systemDir ?? "/etc/codex",
    config,
    projectTrust,
  });
  const mcp = createMcpServers({
    audience: subscriptions,
    version: manifest.version,
    env,
    acceptance: createMcpAcceptance(projectTrust),
    ...createMcpSignIn({ codexHome, config }),
  });
  const agents = new SubAgents({ threads: () => threads, adopt: (child, parent) => subscriptions.adopt(child, parent) });
  const telemetry = createTelemetry({
    settings: () => otelFrom(inUse().raw["otel"], (message) => log.warn(message)),
    ...{ version: manifest.version, system, now: () => clock.now(), log },
  });
  const chooseModelFor: CorePorts["chooseModel"] = (of, model, provider) => modelFor(of, model ?? undefined, provider ?? undefined, env);
  const whyNoModel: CorePorts["whyNoModel"] = ({ raw }, provider) => (isUnaskedTour(provider, raw, env) ? noModelText : undefined);
  const rules = { codexHome, searchPath: env["PATH"], ignoreRules: options.ignore?.rules };
  const waiting = { storage, announce: (thread: LiveThread) => announceConfigChanges(thread, app) };
  const goals = openGoals(
    () => ports,
    () => threads,
    waiting,
  );
  const ports: CorePorts = {
    version: manifest.version,
    system,
    audience: watched(subscriptions, [logWatcher(log), telemetry.watcher, unreadWatcher(() => app)]),
    clock,
    ids: systemIds,
    log,
    store,
    config,
    catalog,
    models: telemetry.models(createModelClients({ env, catalog, credentials, home: codexHome, log })),
    whyNoModel,
    chooseModel: chooseModelFor,
    tools: telemetry.tools([
      builtInTools({
        version: manifest.version,
        env,
        shellPath: () => surroundings.shell().path,
        imageDataUrl: surroundings.imageDataUrl,
        fittedDataUrl: surroundings.fittedDataUrl,
      }),
      dynamicTools,
      ...[agentTools(agents), goalTools(goals)],
      mcp.tools,
    ]),
    runner: withClientTerminals(runner, { subscriptions, env }),
    commandEnv: commandEnvironments(env),
    personEnv: withoutUndefined(env),
    callMcpTool: (scope, call) => mcp.callTool(scope, call),
    execPolicy: createExecPolicies(rules),
    ...{ surroundings, memories, skills, usage, agents, notifier: createNotifier(log, env), audit: storage.audit },
    ...{ workspace: createWorkspace(), threadWorkspaces: storage.threadWorkspaces },
    snapshots: createSnapshots(undefined, gitOptions),
    ...{ undo: createUndoStore(path.join(codexHome, "parley", "undo")), questions: storage.questions },
    outputs: createOutputFiles({ codexHome, clock, log }),
    windows: new LearnedWindows(),
    places: { codexHome, tmpdir: env["TMPDIR"], userHome: env["HOME"] || homedir(), program },
  };
  const threads = new Threads(ports);
  const { queue, runs } = openQueue(ports, threads, { ...waiting, goals });
  threads.onUnloaded = (id) => {
    const failed = (error: unknown): void => log.warn("what a thread had could not be let go", { threadId: id, error: String(error) });
    agents.closeBelow(id).catch(failed);
    mcp.leave(id).catch(failed);
    subscriptions.unloaded(id);
    goals.unloaded(id);
  };
  const stopUnloading = unloadUnwatched(threads, subscriptions, log);
  accounts.onEvent((event) => announceAccount({ subscriptions }, [event]));
  config.onChange((trusted) => {
    settings.again();
    for (const folder of trusted)
      acceptProject({ config, skills, mcp }, folder, { redefining: false }).catch((error: unknown) =>
        log.warn("what a trusted folder brings along could not be accepted", { folder, error }),
      );
  });
  skills.onChange(() => subscriptions.toAll("skills/changed", {}));
  store.onNotice = (message) => {
    log.info(message);
    subscriptions.toAll("warning", { message, threadId: null });
  };
  store.onTrouble = (message) => subscriptions.toAll("warning", { message, threadId: null });
  const app: App = {
    version: manifest.version,
    ...{ codexHome, system, config },
    ...{ chooseModel: chooseModelFor, whyNoModel, catalog, askProvider: (signal) => askProvider(inUse(), { env, credentials }, signal) },
    providers: (findLocal = false) => listProviders(inUse(), env, { stored: hasKey, loggedIn: isLoggedIn() }, findLocal),
    ...{ mcp, accounts, skills, usage, plugins: plugins.all },
    migration: openMigration({ codexHome, userHome: userHome(env), config, plugins: plugins.all, ports }),
    ...{ store, lists, memories, threads, queue, goals, runs, git, repositories },
    fileSearch: createFileSearch({ ripgrep: () => findSystemProgram("rg"), now: clock.now }),
    workspace: ports.workspace,
    undo: ports.undo,
    runner,
    places: ports.places,
    execPolicy: ports.execPolicy,
    hasRules: (of) => hasRules(rules, of),
    ...{ commandEnv: ports.commandEnv, shell: surroundings.shell },
    ...{ clock, ids: systemIds, log, threadTexts: new WeakMap(), turnTexts: new WeakMap() },
    ...{ subscriptions, wireCheck, relay: new Relay({ app: () => app, connect: live.connect, neighbours: live.neighbours }) },
    openLegacy: (session) => openV1(() => app, session),
    compat: options.compat,
    requestCame: settings.again,
    async close() {
      stopUnloading();
      app.relay.close();
      live.close();
      await threads.close();
      await mcp.close();
      await runner.close();
      skills.close();
      accounts.close();
      lists.close();
      await Promise.all([store.close(), telemetry.close()]);
    },
  };
  return app;
}

async function listProviders(
  { providers, modelProvider }: Config,
  env: Env,
  is: Omit<SetUp, "current">,
  findLocal: boolean,
): ReturnType<App["providers"]> {
  const { providerChoices, withRunning } = await import("../models/try-provider.ts");
  const choices = providerChoices(providers, env, { ...is, current: modelProvider });
  return findLocal ? await withRunning(choices, env) : choices;
}

const userHome = (env: Env): string => env["HOME"] || homedir();
const whileThere = (file: string) => (): boolean => existsSync(file);

async function askProvider(
  { providers, modelProvider }: Config,
  parts: Parameters<typeof modelSource>[1],
  signal: AbortSignal,
): Promise<void> {
  for (const source of sourcesFor(providers[modelProvider], parts)) await source.list(signal);
}

/** The provider's own model list; the offline model has none. */
function sourcesFor(provider: ProviderConfig | undefined, parts: Parameters<typeof modelSource>[1]): ReturnType<typeof modelSource>[] {
  return provider === undefined || provider.wireApi === "scripted" || provider.wireApi === "ai-sdk" ? [] : [modelSource(provider, parts)];
}

/** `accountPays`: the account's key takes precedence over a key in the provider's own variable. */
function builtIn(env: Env, accountPays: boolean): Record<string, ProviderConfig> {
  const found = builtInProviderIds.flatMap((id) => builtInProvider(id, env) ?? []);
  return Object.fromEntries(found.map((p) => [p.id, accountPays && p.requiresOpenaiAuth ? { ...p, envKey: undefined } : p]));
}

/** A provider that the user named stays; otherwise the model's name chooses one. */
function modelFor(config: Config, model: string | undefined, provider: string | undefined, env: Env): { model: string; provider: string } {
  const isExplicit = typeof config.raw["model_provider"] === "string";
  const requested = model ?? config.model;
  const byName = requested === undefined || isExplicit ? undefined : providerForModel(requested, config.providers, env);
  const chosen = chooseModel({
    provider: provider ?? byName ?? config.modelProvider,
    model: requested,
    providers: config.providers,
    env,
    loggedIn: false,
  });
  return { model: chosen.model, provider: chosen.provider };
}

/** Environment variables that contain keys of model providers, whatever their names. */
/** Settings are one frozen value while nothing changes, and so is the environment derived from them. */
function commandEnvironments(from: Readonly<Record<string, string | undefined>>): CorePorts["commandEnv"] {
  const made = new WeakMap<Config, Readonly<Record<string, string>>>();
  return (config) => {
    const known = made.get(config);
    if (known !== undefined) return known;
    const env = Object.freeze(commandEnvironment({ policy: config.shellEnvironment, from, modelKeys: modelKeysOf(config) }));
    made.set(config, env);
    return env;
  };
}

function modelKeysOf({ providers }: Config): string[] {
  return Object.values(providers).flatMap(({ envKey, envHttpHeaders }) => [
    ...(envKey === undefined ? [] : [envKey]),
    ...Object.values(envHttpHeaders),
  ]);
}
