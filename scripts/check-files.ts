/**
 * Fails when a file opens, reads, replaces or appends to files directly instead of with src/lib/bounded-read.ts and
 * src/lib/durable-write.ts. The few exceptions are listed here, each with its reason.
 */
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Functions of node:fs that block on a pipe, read without a bound, or can leave a partial file behind. */
const raw = new Set([
  ...["open", "openSync", "openAsBlob", "readFile", "readFileSync", "createReadStream"],
  ...[
    "writeFile",
    "writeFileSync",
    "appendFile",
    "appendFileSync",
    "createWriteStream",
    "rename",
    "renameSync",
    "copyFile",
    "copyFileSync",
  ],
  ...["cp", "cpSync", "truncate", "truncateSync", "link", "linkSync"],
]);

const kernel = "files of the kernel, which have an end";
const named = "named by the person on the command line, who may give a pipe";
const allowed: Readonly<Record<string, string>> = {
  "src/lib/bounded-read.ts": "the bounded reader itself",
  "src/lib/durable-write.ts": "the durable writer itself",
  "src/lib/random.ts": "/dev/urandom, where node:crypto would cost the start",
  "src/rpc/private-socket.ts": "holds the socket's folder open, where its path is too long for the kernel",
  "src/store/outputs.ts": "adds to a command's output while it comes",
  "src/store/writing/disk.ts": "appends to threads' files; a file of its own so that tests can make it fail",
  "src/store/local.ts": "moves threads' files to the archive and back",
  "src/store/writing/lock-file.ts": "locks appear by link(2) and are replaced under a lock of their own",
  "src/store/database.ts": "makes a database's file with its owner's rights, then SQLite reads and writes it; moves a damaged one aside",
  "src/store/writing/processes.ts": kernel,
  "src/store/writing/codex-lock.ts": kernel,
  "src/exec/processes.ts": kernel,
  "src/exec/command-limits.ts": kernel,
  "src/exec/command-limits-room.ts": kernel,
  "src/exec/sandbox/propagation.ts": kernel,
  "src/exec/sandbox/swaps.ts": kernel,
  "src/exec/descriptors.ts": `/dev/null, and ${kernel}`,
  "src/exec/pipes.ts": "makes and opens the pipes of commands, in a folder of its own",
  "src/exec/sandbox-starter.ts": "opens pipes of that folder, and stores there what sandboxes begin with",
  "src/workspace/open-folder.ts": "holds folders open so that no link can be slipped in",
  "src/workspace/workspace.ts": "opens entries of a held folder and leaves the project's files as the agent wants them",
  "src/exec/sandbox/placeholders.ts": "makes and holds stand-ins for protected names",
  "src/workspace/repository-access.ts": "takes git's own lock of the index and puts the new index in its place",
  "src/workspace/remote-repository.ts": "fills a new folder of our own for one run of git",
  "src/workspace/thread-checkouts.ts": "makes the repository of a new checkout in a folder of its own",
  "src/workspace/git-folder.ts": "fills a new folder of our own for one run of git",
  "src/exec/policy/rules-file.ts": "makes its lock file",
  "src/server/fs.ts": "does with files what the client asks for, a pipe among them",
  "src/plugins/unpack.ts": "fills a new folder of our own, which goes away again",
  "src/plugins/copy.ts": "fills a new folder of our own and puts it in its place",
  "src/main/log-file.ts": "appends to the log, where a torn line harms nobody",
  "src/cli/app-server/daemon.ts": "opens the file that the server in the background gets as its stderr",
  "src/manager/store.ts": "moves a damaged file aside",
  "src/manager/audit.ts": "streams a file that the bounded reader has opened",
  "src/manager/pages.ts": "files that were built with the manager",
  "src/rpc/stdio.ts": "the standard output, where it is a file",
  "src/cli/built-from.ts": "files of the checkout that the bundle was built from",
  "src/cli/code-cache.ts": "compiled code beside the bundle, read at every start; it is kept twice and compared",
  "src/cli/doctor/home.ts": "writes an empty file to see whether it can",
  "src/cli/exec/exec.ts": named,
  "src/cli/exec/input.ts": named,
  "src/cli/app-server/generate.ts": named,
  "src/cli/manager/link.ts": named,
  "src/cli/secret-file.ts": named,
  "src/cli/tls-files.ts": named,
  "src/cli/threads/export.ts": named,
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = globSync(["src/**/*.{ts,tsx}", "apps/vscode/src/**/*.{ts,tsx}"]).filter((file) => !/\.test\.tsx?$/.test(file));
  const found = files.flatMap((file) => problemsIn(file, readFileSync(file, "utf8")));
  const unused = Object.keys(allowed).filter((file) => !files.includes(file) || rawUses(readFileSync(file, "utf8")).length === 0);
  for (const problem of [...found, ...unused.map((file) => `${file}: has no need to be in the list of scripts/check-files.ts any more`)])
    console.error(problem);
  process.exitCode = found.length + unused.length === 0 ? 0 : 1;
}

/** The errors in one file. */
export function problemsIn(file: string, text: string): readonly string[] {
  if (Object.hasOwn(allowed, file)) return [];
  return rawUses(text).map(
    (name) =>
      `${file}: uses ${name} of node:fs; read with src/lib/bounded-read.ts, write with src/lib/durable-write.ts, or give a reason in scripts/check-files.ts`,
  );
}

/** The listed functions that a text imports from node:fs: by name, through the module object, or from an opened file. */
export function rawUses(text: string): readonly string[] {
  const byName = [...text.matchAll(/import (?:type )?(?:(\w+),? ?)?(?:\* as (\w+)|\{([^}]*)\})? ?from "node:fs(?:\/promises)?"/g)];
  const names = byName.flatMap(([, , , list = ""]) => list.split(",").map((part) => part.trim().split(/\s+as\s+/)[0] ?? ""));
  const modules = byName.flatMap(([, whole, star]) => [whole, star]).filter((name) => name !== undefined && name !== "type");
  const loaded = /getBuiltinModule\("(?:node:)?fs(?:\/promises)?"\)|require\("(?:node:)?fs|import\("(?:node:)?fs/.test(text)
    ? ["node:fs"]
    : [];
  const members = modules.flatMap((name) =>
    [...text.matchAll(new RegExp(`\\b${name}\\.(?:promises\\.)?(\\w+)`, "g"))].map(([, member = ""]) => member),
  );
  const ofHandles = [...text.matchAll(/\b(?:handle|file|fd)\.(readFile|createReadStream|readLines|appendFile)\(/g)].map(
    ([, member = ""]) => `${member}()`,
  );
  return [...new Set([...[...names, ...members].filter((name) => raw.has(name)), ...loaded, ...ofHandles])];
}
