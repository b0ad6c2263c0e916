import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { CommandRefused } from "../../core/ports/command-runner.ts";
import type { Access, ResolvedFiles } from "../../core/ports/file-access.ts";
import { type Bench, type BenchOptions, openBench, testedEngines } from "../testing.ts";

const minimal = ["/bin", "/sbin", "/usr", "/etc", "/lib", "/lib64"].map((at) => ({ path: at, access: "read" as const }));

for (const { engine, skip, mounts, protects } of await testedEngines())
  describe(`the files of a permission profile, by ${engine}`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    /** A workspace with files, and rules about it. */
    const stage = (name: string, content: Readonly<Record<string, string>>): string => {
      const folder = path.join(bench.base, name);
      for (const [file, text] of Object.entries(content)) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        writeFileSync(path.join(folder, file), text);
      }
      return folder;
    };
    const files = (rules: Readonly<Record<string, Access>>, globs: ResolvedFiles["deniedGlobs"] = [], depth?: number): ResolvedFiles => ({
      rules: Object.entries(rules).map(([at, access]) => ({ path: at, access })),
      deniedGlobs: globs,
      globScanMaxDepth: depth,
    });
    const tmp = { excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;
    const under = (rules: ResolvedFiles, cwd: string): BenchOptions => ({
      policy: { type: "workspaceWrite", ...tmp },
      ...{ files: rules, cwd },
    });
    const refused = async (run: Promise<unknown>, text: RegExp): Promise<void> => {
      await assert.rejects(run, (error) => error instanceof CommandRefused && error.kind === "noSandbox" && text.test(error.message));
    };

    test("what is denied outside of the writable folders cannot be read", async () => {
      const work = stage("outer", { "a.txt": "a" });
      const secret = stage("secrets", { "key.pem": "very secret", "open/b.txt": "b" });
      const single = path.join(stage("single", { "token.txt": "very secret" }), "token.txt");
      const rules = files({ "/": "read", [work]: "write", [secret]: "deny", [path.join(secret, "open")]: "read", [single]: "deny" });
      const line = `cat ${secret}/key.pem; cat ${single}; cat ${secret}/open/b.txt; touch ${secret}/open/c; touch made && echo made`;
      const { output } = await bench.sh(line, under(rules, work));
      assert.doesNotMatch(output, /very secret/);
      assert.match(output, /^b/m);
      assert.match(output, /made$/m);
      assert.match(output, /c'?: (Read-only file system|Permission denied)/);
    });

    protects("denied and read-only paths inside a writable folder hold, however they are moved or linked", async () => {
      const work = stage("inner", {
        ...{ "private/key": "very secret", ".env": "very secret", "sub/deep/.env": "very secret", "ro/a.txt": "a", "b.txt": "b" },
        ...{ "private/pub/c.txt": "c" },
      });
      symlinkSync(".env", path.join(work, "link"));
      const rules = files(
        {
          "/": "read",
          [work]: "write",
          [path.join(work, "private")]: "deny",
          [path.join(work, "ro")]: "read",
          [path.join(work, "private/pub")]: "write",
        },
        [{ base: work, pattern: "**/.env" }],
      );
      const line = [
        "cat private/key .env sub/deep/.env link",
        "mv private moved; mv sub moved; mv ro moved; mv .env moved; rm -rf private; ln .env hard; cp -r . /dev/shm/copy",
        "ls private; echo x > ro/new; echo x > private/new; echo x > b.txt; echo y > private/pub/c.txt",
        "cat moved/* hard /dev/shm/copy/.env /dev/shm/copy/sub/deep/.env 2>/dev/null; cat b.txt private/pub/c.txt",
        "cat /proc/1/root/$PWD/.env /proc/self/root/$PWD/private/key",
      ].join("\n");
      const { output } = await bench.sh(line, under(rules, work));
      assert.doesNotMatch(output, /very secret/);
      assert.match(output, /^x\ny$/m);
      assert.equal(readFileSync(path.join(work, "private/key"), "utf8"), "very secret");
      assert.equal(readFileSync(path.join(work, "private/pub/c.txt"), "utf8"), "y\n");
      assert.match(output, /^pub$/m, "of a denied folder only what is open in it is seen");
    });

    protects("a folder between a denied one and an open one in it stays hidden", async () => {
      const work = stage("between", { "p/mid/secret": "very secret", "p/mid/open/c.txt": "c" });
      const rules = files({ "/": "read", [work]: "write", [path.join(work, "p")]: "deny", [path.join(work, "p/mid/open")]: "write" });
      const { output } = await bench.sh("cat p/mid/secret; ls p/mid; cat p/mid/open/c.txt", under(rules, work));
      assert.doesNotMatch(output, /very secret|^secret$/m);
      assert.match(output, /^open$/m);
    });

    protects("a denied name that does not exist cannot be created, nor a read-only one", async () => {
      const work = stage("absent", { "a.txt": "a" });
      const rules = files({ "/": "read", [work]: "write", [path.join(work, "later")]: "deny", [path.join(work, "kept")]: "read" });
      const { output } = await bench.sh("mkdir later kept; echo x > later/a; echo x > kept/a; touch b && echo made", under(rules, work));
      assert.match(output, /made/);
      const { output: found } = await bench.sh("ls", under(rules, work));
      assert.doesNotMatch(found, /later\/a|kept\/a/);
    });

    test("without the disk only what is named can be read", async () => {
      const work = stage("narrow", { "a.txt": "content a" });
      const other = stage("unnamed", { key: "very secret" });
      const rules = { ...files({ [work]: "write" }), rules: [...minimal, { path: work, access: "write" as const }] };
      const { output, exitCode } = await bench.sh(
        `cat a.txt; cat ${other}/key; ls /home /root; echo x > made; cat made; ls /usr > /dev/null && echo usr`,
        under(rules, work),
      );
      assert.equal(exitCode, 0, output);
      assert.doesNotMatch(output, /very secret/);
      assert.match(output, /content a/);
      assert.match(output, /x\n/);
      assert.match(output, /^usr$/m);
      await refused(bench.sh("true", under(rules, other)), /does not let them read it/);
    });

    test("reading everything and writing nothing", async () => {
      const work = stage("read-only", { "a.txt": "content a", ".env": "very secret" });
      const rules = files({ "/": "read" }, [{ base: work, pattern: "*.env" }]);
      const { output } = await bench.sh("cat a.txt .env; touch b", { policy: { type: "readOnly" }, files: rules, cwd: work });
      assert.match(output, /content a/);
      assert.doesNotMatch(output, /very secret/);
      assert.match(output, /touch: .*b/);
    });

    test("full access except for what is denied", async () => {
      const work = stage("open", { ".env": "very secret", "a.txt": "a", "deep/x/key": "very secret" });
      const rules = files({ "/": "write", [path.join(work, "deep/x")]: "deny" }, [{ base: work, pattern: "**/.env" }]);
      const target = path.join(bench.outside, "written");
      const run = bench.sh(`cat .env deep/x/key; mv deep other; cat other/x/key; echo x > ${target}; id -u`, {
        ...{ policy: { type: "dangerFullAccess" }, files: rules, cwd: work },
      });
      if (!mounts) return await refused(run, /cannot allow everything outside of what it denies/);
      const { output } = await run;
      assert.doesNotMatch(output, /very secret/);
      assert.equal(readFileSync(target, "utf8"), "x\n");
      assert.match(output, new RegExp(`^${process.getuid?.()}$`, "m"));
    });

    const otherwise: typeof protects = (name, body) => void (mounts || test(name, body));
    otherwise("an engine that cannot keep a path from commands refuses them", async () => {
      const work = stage("weak", { ".env": "very secret", "ro/a": "a", "b.txt": "b" });
      const glob = [{ base: work, pattern: "**/.env" }];
      await refused(
        bench.sh("cat .env", under(files({ "/": "read", [work]: "write" }, glob), work)),
        /\.env.*Landlock.* cannot keep it from them/,
      );
      const readOnly = files({ "/": "read", [work]: "write", [path.join(work, "ro")]: "read" });
      await refused(bench.sh("cat b.txt", under(readOnly, work)), /cannot keep .*\/ro read-only inside a writable folder/);
    });

    protects("a pattern is looked for as deep as the profile says", async () => {
      const work = stage("depth", { "one.key": "hidden 1", "a/two.key": "hidden 2", "a/b/three.key": "seen 3" });
      const rules = files({ "/": "read", [work]: "write" }, [{ base: work, pattern: "**/*.key" }], 2);
      const { output } = await bench.sh("cat one.key a/two.key a/b/three.key", under(rules, work));
      assert.doesNotMatch(output, /hidden/);
      assert.match(output, /seen 3/, "deeper ones are beyond what the profile asks to look at");
      const many = stage("many", Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`${i}.key`, "x"])));
      const broad = files({ "/": "read", [many]: "write" }, [{ base: many, pattern: "*.key" }]);
      await refused(bench.sh("true", under(broad, many)), /more than 500 files match it/);
    });

    protects("a read-only name must not be a link that commands could replace", async () => {
      const work = stage("linked", { "a.txt": "a" });
      symlinkSync(bench.outside, path.join(work, "ro"));
      const rules = files({ "/": "read", [work]: "write", [path.join(work, "ro")]: "read" });
      await refused(bench.sh("true", under(rules, work)), /ro is a symlink in a writable folder/);
    });
  });
