/** `parley debug bundle`: one archive for a bug report: the version, the doctor's findings, the settings and the logs, all without secrets. */
import { closeSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { openRegularSync } from "../../lib/bounded-read.ts";
import { createFileSync } from "../../lib/durable-write.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { redactor, redactValue } from "../../lib/redact.ts";
import { isCode } from "../../lib/system-error.ts";
import { examine, lineOf } from "../doctor/doctor.ts";
import { debugHelp } from "../help/small-helps.ts";
import { type App, logFolderOf, withApp } from "../own-app.ts";
import { type Globals, print, printJson, readFlags, refuseMore, StartError, toStdout, UsageError, unknownSubcommand } from "../usage.ts";
import { version } from "../version.ts";
import { tarOf } from "./tar.ts";

/** Only the newest part of each log; a report does not need a month. */
const maxLogBytes = 2 * 1024 * 1024;
const maxLogs = 5;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, debugHelp.commands.bundle);
  const [subcommand] = positionals;
  if (subcommand === undefined) throw new UsageError("the subcommand is missing: parley debug bundle");
  if (subcommand !== "bundle") throw unknownSubcommand(subcommand, ["bundle"]);
  refuseMore(positionals, 1);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const isPiped = values.output === "-";
  const file = isPiped ? "-" : path.resolve(values.output ?? `parley-debug-${stamp}.tar.gz`);
  return withApp(globals, values.config ?? [], async (app) => {
    const entries = await collect(app);
    const archive = await promisify(gzip)(tarOf(entries.map(([name, text]) => [`parley-debug/${name}`, text])));
    if (isPiped) {
      toStdout(archive);
      return 0;
    }
    try {
      createFileSync(file, archive, { sync: "none" });
    } catch (error) {
      if (isCode(error, "EEXIST")) throw new StartError(`${file} is there already; name another file with --output`);
      throw new StartError(errorMessage(error));
    }
    const sizes = entries.map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) }));
    if (values.json === true) return printJson({ file, entries: sizes });
    const list = sizes.map(({ name, bytes }) => `  ${name} (${bytes} bytes)\n`).join("");
    return print(`${file}\n${list}Nothing was sent. Secrets were taken out; please look into it before you pass it on.\n`);
  });
}

async function collect(app: App): Promise<readonly (readonly [name: string, text: string])[]> {
  const clean = redactor(process.env);
  const findings = await examine(app);
  return [
    ["version.txt", `parley ${version}\nNode ${process.versions.node} on ${process.platform}-${process.arch}\n`],
    ["doctor.txt", clean(findings.map(lineOf).join(""))],
    ["settings.json", `${JSON.stringify(settingsOf(app, clean), undefined, 2)}\n`],
    ["environment.txt", namesOfEnvironment()],
    ...(await logsOf(app, clean)),
  ];
}

function settingsOf(app: App, clean: (text: string) => string): unknown {
  try {
    return redactValue(app.config.effective(process.cwd()).raw, clean);
  } catch (error) {
    return { unreadable: clean(errorMessage(error)) };
  }
}
/** Names only: which variables are set matters a lot, and their values are private. */
const namesOfEnvironment = (): string => `${Object.keys(process.env).sort().join("\n")}\n`;

async function logsOf(app: App, clean: (text: string) => string): Promise<readonly (readonly [string, string])[]> {
  const folder = logFolderOf(app) ?? path.join(app.codexHome, "parley", "log");
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => /^parley-.*\.log$/.test(name))
    .sort()
    .slice(-maxLogs);
  return names.map((name) => [`log/${name}`, clean(endOf(path.join(folder, name)))] as const);
}

function endOf(file: string): string {
  const { fd, stats } = openRegularSync(file);
  try {
    const bytes = Buffer.alloc(Math.min(stats.size, maxLogBytes));
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, stats.size - bytes.length));
  } finally {
    closeSync(fd);
  }
}
