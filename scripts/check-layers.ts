/** Fails when a file imports from a folder that its own folder may not use, when a file is too long, or when a test's hook affects other files. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

interface Rules {
  readonly root: string;
  /** What each room may import besides itself, as paths relative to the repository's root: a folder, or one file. */
  readonly mayImport: Readonly<Record<string, readonly string[]>>;
  /** Only types may be imported from these, so that none of their code gets into what is built here. */
  readonly typesOf?: readonly string[];
  /** Names that its files must not use, and what to use instead. */
  readonly forbids?: { readonly pattern: RegExp; readonly instead: string };
  /** Rooms that only compute: the packages and Node modules that they may import. */
  readonly packagesOf?: Readonly<Record<string, readonly string[]>>;
  /** Files in those that may still be imported entirely. They contain pure functions and import only types and each other. */
  readonly pure?: readonly string[];
}

const src = (...names: string[]): readonly string[] => names.map((name) => `src/${name}`);
const edge = src("core/ports", "protocol", "lib", "shell", "home");
const client = src("client", "rpc", "protocol", "lib");
/** The version, for the rooms that report it. */
const manifest = "package.json";
const product: Rules = {
  root: "src",
  mayImport: {
    lib: [],
    protocol: src("lib"),
    rpc: src("protocol/errors.ts", "lib"),
    client: src("rpc", "protocol", "lib"),
    shell: src("protocol", "lib"),
    home: src("lib"),
    core: src("protocol", "lib", "shell"),
    models: edge,
    exec: edge,
    workspace: edge,
    store: edge,
    tools: edge,
    skills: edge,
    config: edge,
    auth: edge,
    mcp: [...edge, ...src("rpc")],
    plugins: edge,
    migration: edge,
    telemetry: edge,
    usage: edge,
    fleet: [...edge, ...src("store/rollout", "store/layout.ts", "store/index/cursor.ts", "store/index/head.ts", "store/index/search.ts")],
    relay: src("core/ports/fleet.ts", "rpc", "protocol", "lib"),
    front: src("core/ports/fleet.ts", "relay", "rpc", "protocol", "lib"),
    server: src("core", "relay", "rpc", "protocol", "lib"),
    adapters: [...client, ...src("shell")],
    sessions: client,
    ide: src("rpc", "protocol", "lib"),
    tui: [...client, ...src("sessions", "shell", "ide")],
    manager: [...client, ...src("sessions")],
    main: [
      ...src(
        "server",
        "models",
        "exec",
        "workspace",
        "shell",
        "store",
        "telemetry",
        "usage",
        "tools",
        "skills",
        "config",
        "auth",
        "mcp",
        "plugins",
        "migration",
        "fleet",
        "front",
        "core",
        "adapters/v1",
      ),
      ...client,
      manifest,
    ],
    cli: [
      ...src("main", "fleet", "core/ports/fleet.ts", "home", "client", "sessions", "tui", "manager", "adapters", "rpc", "protocol", "lib"),
      manifest,
    ],
  },
  packagesOf: { shell: ["node:path", "unbash"] },
};

/** Core's rooms, lowest first: each may import, also as types, only the earlier rooms that it names. Imports from outside core are in `product`. */
const core = (...names: string[]): readonly string[] => [...src("protocol", "lib"), ...names.map((name) => `src/core/${name}`)];
const agent: Rules = {
  root: "src/core",
  mayImport: {
    ports: core(),
    settings: core("ports"),
    patch: core("ports"),
    context: core("ports"),
    hooks: core("ports", "context", "patch"),
    approval: core("ports", "hooks"),
    edit: core("ports", "hooks", "approval", "patch"),
    command: core("ports", "settings", "context", "approval", "edit", "patch"),
    model: core("ports", "settings", "context", "hooks", "approval", "patch"),
    compaction: core("ports", "context", "hooks", "model"),
    turn: core("ports", "settings", "context", "hooks", "approval", "edit", "command", "model", "compaction"),
    thread: core("ports", "settings", "context", "hooks", "approval", "command", "model", "turn"),
    queue: core("ports", "turn", "thread"),
    goal: core("ports", "context", "turn", "thread"),
  },
  forbids: {
    pattern:
      /\b(?:Date\.now|performance\.now|Math\.random|randomUUID|set(?:Timeout|Interval|Immediate)|AbortSignal\.timeout)\b|new Date\(\)/,
    instead: "take time and chance from core/ports/clock.ts",
  },
};

/** The store's rooms: the file format below, the index and the writers above it, side by side. */
const stored = src("store/layout.ts", "store/database.ts", "store/rollout");
const store: Rules = {
  root: "src/store",
  mayImport: {
    rollout: edge,
    index: [...edge, ...stored],
    writing: [...edge, ...stored],
    lists: [...edge, "src/store/layout.ts", "src/store/database.ts"],
    ...Object.fromEntries(globSync("src/store/*.ts").map((file) => [path.basename(file), [...edge, "src/store"]])),
  },
};

/** What the page may import of the manager and the wire. */
const wireTypes = src("protocol", "sessions/records.ts", "manager/api", "manager/api.ts", "manager/events.ts");
/** What is bundled into the page itself. */
const shownCommands = src("shell/shown-script.ts", "shell/words.ts");
const takenByPage = [
  ...src("sessions/thread-view.ts", "sessions/hooks.ts", "sessions/plugins.ts", "protocol/hook-notice.ts", "ide/looked-at.ts"),
  ...shownCommands,
];
const web = (...names: string[]): readonly string[] => names.map((name) => `apps/web/src/${name}`);
const page: Rules = {
  root: "apps/web/src",
  mayImport: {
    connection: [...wireTypes, ...web("state")],
    state: [...wireTypes, ...takenByPage, ...web("connection")],
    ui: [],
    parts: [...web("ui", "state"), ...shownCommands],
    screens: web("ui", "parts", "state", "connection", "app-context.tsx"),
    "app-context.tsx": web("state", "connection"),
    "styles.ts": web("styles"),
    "main.tsx": web("connection", "screens", "state", "styles.ts"),
    "css.d.ts": [],
    // Runs beside the page, without its code.
    worker: [],
  },
  typesOf: ["src"],
  pure: takenByPage,
};

/** The extension: `host` does not use the editor, `editor` is its user interface, `panel` has the page's screens. */
const shared = [...src("sessions", "client", "protocol", "lib", "ide"), "apps/web/src"];
const extension: Rules = {
  root: "apps/vscode/src",
  mayImport: {
    host: shared,
    editor: [...shared, "apps/vscode/src/host"],
    panel: [...shared, "apps/vscode/src/host/port.ts"],
  },
};

/** A variable that people have set for another program, and that means the same here. */
const namesOfOthers = "CODEX_CA_CERTIFICATE";
const maxLines = 500;
const problems: string[] = [];
for (const rules of [product, agent, store, page, extension]) for (const file of globSync(`${rules.root}/**/*.{ts,tsx}`)) look(rules, file);
// So there is no cycle between core's rooms, not even of types.
for (const [at, [room, rooms]] of Object.entries(agent.mayImport).entries()) {
  const later = Object.keys(agent.mayImport)
    .slice(at)
    .find((other) => rooms.includes(`${agent.root}/${other}`));
  if (later !== undefined)
    problems.push(`scripts/check-layers.ts: core's room ${room} may not name ${later}, which does not stand before it`);
}
for (const file of globSync([...takenByPage]))
  for (const { target, isType } of importsIn(readFileSync(file, "utf8")))
    if (!isType && !takenByPage.includes(path.posix.join(path.posix.dirname(file), target)))
      problems.push(`${file}: the page takes it whole, so it may import only types: import type from ${target}`);
// Such tests share one process: a hook outside describe() would run around the tests of every file.
for (const file of globSync(["src/**/*.test.{ts,tsx}", "apps/*/src/**/*.test.{ts,tsx}", "test/scenarios/**/*.test.ts"]))
  if (/^(?:before|after)Each\(/m.test(readFileSync(file, "utf8")))
    problems.push(`${file}: put beforeEach and afterEach inside a describe()`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function look({ root, mayImport, typesOf = [], packagesOf = {}, pure = [], forbids }: Rules, file: string): void {
  const text = readFileSync(file, "utf8");
  const room = path.relative(root, file).split(path.sep)[0] ?? "";
  const allowed = mayImport[room];
  if (allowed === undefined) problems.push(`${file}: ${room} has no row in mayImport`);
  if (text.split("\n").length > maxLines) problems.push(`${file}: more than ${maxLines} lines`);
  if (/from "vscode"/.test(text) && !file.startsWith(path.join("apps", "vscode", "src", "editor")))
    problems.push(`${file}: only apps/vscode/src/editor may import vscode`);
  if (file.endsWith(".test.ts")) return;
  const forbidden = forbids?.pattern.exec(text)?.[0];
  if (forbidden !== undefined) problems.push(`${file}: ${forbidden}: ${forbids?.instead}`);
  if (file.startsWith(path.join("src", "lib")) && /codex|parley/i.test(text.replaceAll(namesOfOthers, "")))
    problems.push(`${file}: lib must not name the product; code that knows the product belongs in a room of its own`);
  const packages = packagesOf[room];
  if (packages !== undefined)
    for (const [, name = ""] of text.matchAll(/(?:\bfrom |\bimport\(|^import )"([^".][^"]*)"/gm))
      if (!packages.includes(name)) problems.push(`${file}: ${room} only computes and may not import ${name}`);
  for (const { target, isType } of importsIn(text)) {
    const into = path.join(path.dirname(file), target).split(path.sep).join("/");
    const isIn = (place: string): boolean => into === place || into.startsWith(`${place}/`);
    if (isIn(`${root}/${room}`)) continue;
    if (allowed?.some(isIn) !== true) problems.push(`${file}: ${room} may not import ${into}`);
    if (!isType && typesOf.some(isIn) && !pure.includes(into)) problems.push(`${file}: only types may come from ${into}: import type`);
  }
}

function importsIn(text: string): readonly { readonly target: string; readonly isType: boolean }[] {
  const imports = text.matchAll(/(?:^(?:import|export)( type)? (?:[^"';]*? from )?|\bimport\()"(\.[^"]+)"/gm);
  return [...imports].map(([, type, target = ""]) => ({ target, isType: type !== undefined }));
}
