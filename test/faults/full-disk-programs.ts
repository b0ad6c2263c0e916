/** Run by every-writer.itest.ts with a small disk as its folder: programs start on it full, and again when there is room. Prints the failures. */
import { spawn } from "node:child_process";
import { globSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const [disk = ""] = process.argv.slice(2);
const launcher = path.resolve(import.meta.dirname, "../../bin/parley");
const home = path.join(disk, "home");
const filler = path.join(disk, "filler");
const problems: string[] = [];
const env = { PATH: process.env["PATH"], HOME: disk, CODEX_HOME: home };

/** Runs until it exits, or until its output has what is waited for. */
async function run(
  args: readonly string[],
  { input = "", until = /(?!)/ } = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const child = spawn(launcher, args, { cwd: disk, env });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let text = "";
  const seen = Promise.withResolvers<number>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (until.test(text)) seen.resolve(0);
    });
  const closed = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const code = await Promise.race([seen.promise, closed]);
  child.kill("SIGTERM");
  await closed;
  return { code, text };
}

function expect(name: string, text: string, wanted: RegExp): void {
  if (!wanted.test(text)) problems.push(`${name}: ${text}`);
}

const hello = { id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } };
const begin = { id: 2, method: "thread/start", params: {} };
const lines = [hello, begin].map((message) => `${JSON.stringify(message)}\n`).join("");
const exec = ["exec", "--skip-git-repo-check", "-c", "model_provider=scripted", "hello"];
const manager = ["manager", "--no-open", "--listen", "127.0.0.1:0"];

mkdirSync(home);
for (let size = 1024 * 1024; size >= 4096; )
  try {
    writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
  } catch {
    size /= 2;
  }
const [executed, kept, listed, served, refused, login] = await Promise.all([
  run(exec, { until: /tokens used/ }),
  run([...exec.slice(0, -1), "-o", path.join(home, "last.txt"), "hello"]),
  run(["threads", "list"]),
  run(["app-server"], { input: lines, until: /"thread\/started"/ }),
  run(manager),
  run(["login", "--with-api-key"], { input: "sk-0123456789abcdef0123" }),
]);
expect("exec, full", executed.text, /the disk is full/);
expect("exec -o, full", `${kept.code} ${kept.text}`, /^1 .*error: the last message could not be written: the disk is full/s);
expect("threads list, full", `${listed.code} ${listed.text}`, /^0 No threads yet/);
expect("app-server, full", served.text, /"id":2,"result"/);
expect("manager, full", `${refused.code} ${refused.text}`, /^1 error: cannot use .*the disk is full/);
expect("login, full", `${login.code} ${login.text}`, /^1 .*error: the disk is full/s);
for (const file of globSync("**/*", { cwd: home, exclude: ["**/.system/**"] }))
  if (statSync(path.join(home, file)).isFile() && statSync(path.join(home, file)).size === 0) problems.push(`${file} is left empty`);
rmSync(filler);
const [managed, again] = await Promise.all([
  run(manager, { until: /is running at/ }),
  run(["app-server"], { input: lines, until: /"thread\/started"/ }),
]);
expect("manager, with room", managed.text, /is running at/);
expect("app-server, with room", again.text, /"id":2,"result"/);
console.log(JSON.stringify(problems));
process.exit();
