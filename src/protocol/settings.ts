/** A thread's settings as a table, one row per setting: its type, the params that set it, its default, and where it is shown and stored. */
import { array, boolean, type Infer, type Lazy, literals, maybe, nullable, type OptionalSchema, string } from "../lib/schema.ts";
import {
  AbsolutePathBuf,
  ApprovalsReviewer,
  AskForApproval,
  CollaborationMode,
  FileRules,
  Personality,
  ReasoningEffort,
  ReasoningSummary,
  SandboxMode,
  SandboxPolicy,
} from "./policy.ts";

/** The requests that accept settings: thread/start, thread/resume, thread/fork, turn/start and thread/settings/update. */
export type Taker = "start" | "resume" | "fork" | "turn" | "update";
const opening = ["start", "resume", "fork"] as const;
const running = ["turn", "update"] as const;
const all = [...opening, ...running] as const;

interface Traits {
  /** The requests that set it with a param of its name. */
  readonly takenBy: readonly Taker[];
  /** Other params with which a request sets it. */
  readonly chosenWith?: readonly string[];
  /** Keys of config.toml that set it; the first one present counts. */
  readonly keys: readonly string[];
  /** If it was not set for a thread, the thread follows changes of the config. */
  readonly follows: boolean;
  /**
   * The value after resume and fork. `past`: the thread's previous value, unless the request's own config sets one of the keys; `config`: a
   * new thread's value; `rule`: core has a rule for it.
   */
  readonly goesOn: "past" | "config" | "rule";
  /** It determines what commands may do, or who is asked. */
  readonly isLimit?: true;
  /** Missing in threads that were stored before it existed. */
  readonly isOptional?: true;
}

interface PlainTraits extends Traits {
  /** Its name in the responses to start, resume and fork. */
  readonly inAnswer?: string;
  /** Its name in thread/settings/updated. */
  readonly inUpdate?: string;
  /** The param of turn/start that sets it for that turn only. */
  readonly forTurn?: string;
  /** The value that a null param sets; without it, null leaves the setting unchanged. */
  readonly nullMeans?: string;
  /** Its key in the `turn_context` lines of Codex. */
  readonly inLine?: string;
}

/** Null until the config or a request sets it. Needs no code other than its row and its use. */
const plain = <S extends Lazy, const T extends PlainTraits>(value: S, traits: T) => ({ ...traits, value, isPlain: true as const });
/** Core has a rule for its initial value and for how params change it. */
const ruled = <S extends Lazy, const T extends Traits>(value: S, traits: T) => ({ ...traits, value, isPlain: false as const });

/** The tier if none was chosen; it is not sent to the model's provider. */
export const usualTier = "default";

const table = {
  cwd: ruled(string, { takenBy: all, keys: [], follows: false, goesOn: "rule" }),
  /** The session's folders; cwd is the first. */
  workspaceRoots: ruled(() => array(string()), { takenBy: [], keys: [], follows: false, goesOn: "rule", isLimit: true }),
  /** False if the client gave the thread no machine to work on: no commands, no files. */
  hasMachine: ruled(boolean, { takenBy: [], keys: [], follows: false, goesOn: "past", isOptional: true }),
  model: ruled(string, { takenBy: all, keys: ["model"], follows: true, goesOn: "rule" }),
  modelProvider: ruled(string, { takenBy: opening, chosenWith: ["model"], keys: ["model_provider"], follows: true, goesOn: "rule" }),
  effort: plain(ReasoningEffort, {
    takenBy: running,
    keys: ["model_reasoning_effort"],
    follows: true,
    goesOn: "past",
    inAnswer: "reasoningEffort",
    inUpdate: "effort",
    inLine: "effort",
  }),
  summary: plain(ReasoningSummary, {
    takenBy: running,
    keys: ["model_reasoning_summary"],
    follows: true,
    goesOn: "past",
    inUpdate: "summary",
    inLine: "summary",
  }),
  verbosity: plain(string, { takenBy: [], keys: ["model_verbosity"], follows: true, goesOn: "past" }),
  serviceTier: plain(string, {
    takenBy: all,
    forTurn: "serviceTierForTurn",
    nullMeans: usualTier,
    keys: ["service_tier"],
    follows: true,
    goesOn: "past",
    inAnswer: "serviceTier",
    inUpdate: "serviceTier",
    inLine: "service_tier",
  }),
  approvalPolicy: ruled(AskForApproval, { takenBy: all, keys: ["approval_policy"], follows: true, goesOn: "past", isLimit: true }),
  approvalsReviewer: ruled(ApprovalsReviewer, {
    takenBy: all,
    keys: ["approvals_reviewer"],
    follows: false,
    goesOn: "past",
    isLimit: true,
  }),
  sandboxPolicy: ruled(SandboxPolicy, {
    takenBy: running,
    chosenWith: ["sandbox", "permissions"],
    keys: ["sandbox_mode", "default_permissions"],
    follows: true,
    goesOn: "past",
    isLimit: true,
  }),
  /** The permission profile that the sandbox policy came from, if one was chosen. */
  permissionProfile: ruled(() => nullable(string()), {
    takenBy: [],
    keys: ["sandbox_mode", "default_permissions"],
    follows: false,
    goesOn: "past",
    isOptional: true,
  }),
  /** Null where the sandbox policy says everything about files. */
  fileRules: ruled(() => nullable(FileRules()), {
    takenBy: [],
    chosenWith: ["sandboxPolicy", "sandbox", "permissions"],
    keys: ["sandbox_mode", "default_permissions"],
    follows: true,
    goesOn: "past",
    isLimit: true,
    isOptional: true,
  }),
  personality: plain(Personality, {
    takenBy: ["start", "resume", ...running],
    keys: ["personality", "model_personality"],
    follows: true,
    goesOn: "past",
    inUpdate: "personality",
    inLine: "personality",
  }),
  /** Plan or default; older names were mapped on input. */
  mode: ruled(() => literals("plan", "default"), { takenBy: [], keys: [], follows: false, goesOn: "past" }),
  /** Pair programming of older clients: Default, and the model may ask questions as in Plan. */
  isPairing: ruled(boolean, { takenBy: [], keys: [], follows: false, goesOn: "past", isOptional: true }),
  /** Instructions of the collaboration mode. */
  modeInstructions: ruled(() => nullable(string()), { takenBy: [], keys: [], follows: false, goesOn: "past" }),
  /** Fixed when the thread is created, regardless of later configs. */
  baseInstructions: plain(string, { takenBy: opening, keys: ["instructions"], follows: false, goesOn: "rule" }),
  developerInstructions: plain(string, {
    takenBy: opening,
    keys: ["developer_instructions"],
    follows: true,
    goesOn: "config",
    inLine: "developer_instructions",
  }),
  /** Plugins that are disabled for the thread. */
  disabledPluginIds: ruled(() => array(string()), { takenBy: running, keys: [], follows: false, goesOn: "past", isOptional: true }),
};

/** Params that set several settings, or one in another form; core's rules read them. */
const otherParams = {
  collaborationMode: { value: CollaborationMode, takenBy: running },
  permissions: { value: string, takenBy: all },
  runtimeWorkspaceRoots: { value: () => array(AbsolutePathBuf()), takenBy: [...opening, "turn"] },
  sandbox: { value: SandboxMode, takenBy: opening },
} as const;

type Table = typeof table;
export type SettingName = keyof Table;
export type PlainSetting = { [K in SettingName]: Table[K]["isPlain"] extends true ? K : never }[SettingName];
type OptionalSetting = { [K in SettingName]: Table[K] extends { readonly isOptional: true } ? K : never }[SettingName];
type Frozen<T> = T extends (infer Item)[] ? readonly Item[] : T;
type Value<K extends SettingName> = Frozen<Infer<Table[K]["value"]>>;

/** The value of each setting. */
export type SettingValues = {
  readonly [K in Exclude<SettingName, OptionalSetting>]: K extends PlainSetting ? Value<K> | null : Value<K>;
} & { readonly [K in OptionalSetting]?: Value<K> };
/** The config's values of the plain settings. */
export type SettingDefaults = { readonly [K in PlainSetting]: Value<K> | undefined };

type Params = Table & typeof otherParams;
type TakenBy<T extends Taker> = { [K in keyof Params]: T extends Params[K]["takenBy"][number] ? K : never }[keyof Params];
type FieldsTakenBy<T extends Taker> = { readonly [K in TakenBy<T>]: OptionalSchema<Infer<Params[K]["value"]> | null> };
/** The settings in the params of a request. */
export type SettingParams<T extends Taker = Taker> = { readonly [K in TakenBy<T>]?: Frozen<Infer<Params[K]["value"]>> | null | undefined };

/** The places that show plain settings. */
type Place = "inAnswer" | "inUpdate" | "forTurn";
type NameAt<P extends Place, K extends PlainSetting> = Table[K] extends Readonly<Record<P, infer Name extends string>> ? Name : never;
type FieldsAt<P extends Place> = { readonly [K in PlainSetting as NameAt<P, K>]: OptionalSchema<Value<K> | null> };
type ShownAt<P extends Place> = { [K in PlainSetting as NameAt<P, K>]: Value<K> | null };

interface Row extends PlainTraits {
  readonly value: Lazy;
  readonly isPlain: boolean;
}
export const settingRows: Readonly<Record<SettingName, Row>> = table;
export const settingNames = Object.keys(table) as readonly SettingName[];
export const plainSettings = settingNames.filter((name): name is PlainSetting => settingRows[name].isPlain);

/** The fields of a request's params for the settings that it accepts. */
export function settingParams<T extends Taker>(taker: T): FieldsTakenBy<T> {
  return Object.fromEntries(takenBy[taker].map(([name, { value }]) => [name, maybe(value())])) as FieldsTakenBy<T>;
}

/** The settings in a request's params, without the other params. */
export function settingsIn<T extends Taker>(taker: T, params: SettingParams<T>): SettingParams<T> {
  const given: Readonly<Record<string, unknown>> = params;
  return Object.fromEntries(
    takenBy[taker].flatMap(([name]) => (given[name] === undefined ? [] : [[name, given[name]]])),
  ) as SettingParams<T>;
}

const params: Readonly<Record<string, { readonly value: Lazy; readonly takenBy: readonly Taker[] }>> = { ...table, ...otherParams };
const paramsOf = (taker: Taker) => Object.entries(params).filter(([, row]) => row.takenBy.includes(taker));
const takenBy = {
  start: paramsOf("start"),
  resume: paramsOf("resume"),
  fork: paramsOf("fork"),
  turn: paramsOf("turn"),
  update: paramsOf("update"),
};

/** The fields for plain settings in a response, an update, or the params of a turn. */
export function settingFields<P extends Place>(place: P): FieldsAt<P> {
  const fields = namedAt[place].map(([name, shown]) => [shown, maybe(settingRows[name].value())]);
  return Object.fromEntries(fields) as FieldsAt<P>;
}

/** The plain settings under the names that a place uses. */
export function shownSettings<P extends Place>(place: P, settings: SettingValues): ShownAt<P> {
  const shown = namedAt[place].map(([name, field]) => [field, settings[name]]);
  return Object.fromEntries(shown) as ShownAt<P>;
}

/** The settings that the params of a turn set for that turn only. */
export function settingsForTurn(params: Partial<ShownAt<"forTurn">>): Partial<SettingValues> {
  const given: Readonly<Record<string, unknown>> = params;
  return Object.fromEntries(
    namedAt.forTurn.flatMap(([name, field]) => (given[field] === undefined || given[field] === null ? [] : [[name, given[field]]])),
  );
}

const namesAt = (place: Place): readonly (readonly [PlainSetting, string])[] =>
  plainSettings.flatMap((name) => {
    const shown = settingRows[name][place];
    return shown === undefined ? [] : [[name, shown] as const];
  });
const namedAt = { inAnswer: namesAt("inAnswer"), inUpdate: namesAt("inUpdate"), forTurn: namesAt("forTurn") };
