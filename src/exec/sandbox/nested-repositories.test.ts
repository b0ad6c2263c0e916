import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type Bench, openBench, testedEngines } from "../testing.ts";
import { NestedRepositories } from "./nested-repositories.ts";

test("a folder of thousands of entries hides nothing: not its own repository, nor one among them", async (t) => {
  const root = mkdtempSync(path.join(tmpdir(), "parley-many-entries-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const bare = path.join(root, "bare");
  mkdirSync(path.join(bare, "objects"), { recursive: true });
  for (let i = 0; i < 1_500; i++) for (const folder of [root, bare]) writeFileSync(path.join(folder, `f${i}`), "");
  mkdirSync(path.join(bare, "refs"));
  writeFileSync(path.join(bare, "HEAD"), "");
  mkdirSync(path.join(root, "z", ".git"), { recursive: true });
  const nested = new NestedRepositories();
  assert.equal(await nested.prepare(root), undefined);
  assert.deepEqual([...nested.enter(root)].sort(), [bare, path.join(root, "z", ".git")]);
});

for (const { engine, skip } of (await testedEngines()).filter(({ mounts }) => mounts))
  describe(`what is protected at every depth with ${engine}`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());
    const workspace = (name: string): { cwd: string; roots: readonly string[] } => {
      const cwd = path.join(bench.base, name);
      mkdirSync(cwd);
      return { cwd, roots: [cwd] };
    };
    const git = (...args: string[]): void => {
      const env = { PATH: process.env["PATH"], HOME: bench.base, GIT_CONFIG_GLOBAL: "/dev/null" };
      const { status, stderr } = spawnSync("git", args, { cwd: bench.base, env });
      assert.equal(status, 0, String(stderr));
    };
    /** Tries in every way to add a hook to a repository in the workspace, and returns what it wrote. */
    const attack = async (options: { cwd: string; roots: readonly string[] }, ...gits: string[]): Promise<string> => {
      const tries = gits.map((at) => {
        const top = at.split("/")[0];
        return `(echo evil > ${at}/hooks/post-checkout) && echo "HOOK ${at}"; (echo evil >> ${at}/config) && echo "CONFIG ${at}"; mv ${at} ${at}2 && echo "MOVED ${at}"; rm -rf ${at}; mv ${top} moved-${top} && echo "MOVED ${top}"`;
      });
      const { output } = await bench.sh(`{ ${tries.join("; ")}; } 2>/dev/null; echo END`, options);
      for (const at of gits) assert.ok(existsSync(path.join(options.cwd, at, "hooks")), `${at} is whole`);
      return output;
    };

    test("decoys, deep folders and folders of packages hide no repository", async () => {
      const options = workspace("decoys");
      const repositories = ["z/repo", "node_modules/pkg/repo", ".venv/src/repo", "a/b/c/d/e/f/g/h/i/j/repo"];
      for (const each of repositories) git("init", "-q", path.join(options.cwd, each));
      await bench.sh('for i in $(seq 140); do mkdir -p "a$i/.git"; done', options);
      assert.equal(await attack(options, ...repositories.map((each) => `${each}/.git`)), "END\n");
    });

    test("hooks that a repository keeps in a folder of the workspace cannot be changed, nor made where they are missing", async () => {
      const options = workspace("hooks-path");
      const places = { ".": ".husky/_", sub: '"my hooks"', "deep/other": "missing/hooks" };
      for (const [at, hooks] of Object.entries(places)) {
        git("init", "-q", path.join(options.cwd, at));
        writeFileSync(path.join(options.cwd, at, ".git/config"), `[core]\n\tbare = false\n\tHooksPath = ${hooks} ; ours\n`);
      }
      mkdirSync(path.join(options.cwd, ".husky/_"), { recursive: true });
      mkdirSync(path.join(options.cwd, "sub/my hooks"));
      const evil = (at: string): string => `(mkdir -p "$(dirname '${at}')" && echo evil > '${at}') && echo "HOOK ${at}"`;
      const tries = [".husky/_/pre-commit", "sub/my hooks/pre-commit", "deep/other/missing/hooks/pre-commit"].map(evil);
      const swaps = "mv .husky gone && echo MOVED; mv 'sub/my hooks' gone && echo MOVED; echo fine > .husky/pre-commit && echo WROTE";
      const { output } = await bench.sh(`{ ${[...tries, swaps].join("; ")}; } 2>/dev/null; echo END`, options);
      assert.equal(output, "WROTE\nEND\n");
    });

    test("too many to protect one by one are protected with the folder around them, and the rest stays writable", async () => {
      const options = workspace("crowd");
      git("init", "-q", path.join(options.cwd, "z/repo"));
      for (let i = 0; i < 400; i++) mkdirSync(path.join(options.cwd, `crowd/deep/d${i}/.git`), { recursive: true });
      assert.equal(await attack(options, "z/repo/.git"), "END\n");
      const { output } = await bench.sh("touch crowd/deep/x && echo IN; touch crowd/ok z/ok && echo BESIDE", options);
      assert.match(output, /Read-only file system\nBESIDE\n$/);
    });

    test("where nothing can be held together, commands are refused with the way out", async () => {
      const options = workspace("many");
      for (let i = 0; i < 300; i++) mkdirSync(path.join(options.cwd, `d${i}/.git`), { recursive: true });
      await assert.rejects(bench.sh("true", options), /300 repositories .* too many to protect.*smaller|one of its folders/);
      assert.equal((await bench.sh("echo fine", { ...options, policy: { type: "readOnly" } })).output, "fine\n");
    });

    test("a repository that appears while another command runs is protected from the next one, and so is one made between two commands", async () => {
      const options = workspace("meanwhile");
      const long = await bench.start(["/bin/bash", "-c", "read x"], { ...options, stdin: "open" });
      git("init", "-q", path.join(options.cwd, "sub/clone"));
      assert.equal(await attack(options, "sub/clone/.git"), "END\n");
      long.write("\n");
      await long.exit;
      await bench.sh("true", options);
      git("init", "-q", path.join(options.cwd, "between"));
      assert.equal(await attack(options, "between/.git"), "END\n");
    });

    test("bare repositories are known by what is in them", async () => {
      const options = workspace("bare");
      git("init", "-q", "--bare", path.join(options.cwd, "deep/store.git"));
      git("init", "-q", "--bare", path.join(options.cwd, "plain"));
      assert.equal(await attack(options, "deep/store.git", "plain"), "END\n");
      const { output } = await bench.sh("echo x > plain/commondir || echo CLOSED; echo x > deep/new && echo BESIDE", options);
      assert.match(output, /CLOSED\nBESIDE\n$/);
    });

    test("a workspace that is itself a bare repository keeps its hooks and settings", async () => {
      const options = workspace("bare-root");
      git("init", "-q", "--bare", options.cwd);
      const { output } = await bench.sh(
        "echo x >> config || echo A; echo x > hooks/y || echo B; rm -rf hooks; mv hooks h || echo C; touch ok && echo OK",
        options,
      );
      assert.match(output.replaceAll(/^(?!A$|B$|C$|OK$).*\n/gm, ""), /^A\nB\nC\nOK\n$/);
    });

    test("settings and skills of a folder below the root cannot be changed, replaced or moved", async () => {
      const options = workspace("settings");
      for (const name of ["sub/.codex", "a/b/.agents/skills/x"]) mkdirSync(path.join(options.cwd, name), { recursive: true });
      writeFileSync(path.join(options.cwd, "sub/.codex/config.toml"), "old");
      mkdirSync(path.join(options.cwd, "shared"));
      mkdirSync(path.join(options.cwd, "linked"));
      writeFileSync(path.join(options.cwd, "shared/config.toml"), "old");
      symlinkSync("../shared", path.join(options.cwd, "linked/.codex"));
      const { output } = await bench.sh(
        `{ echo x > sub/.codex/config.toml; echo x > a/b/.agents/skills/x/SKILL.md; rm -rf sub/.codex a/b/.agents; mv sub s2; mv a a2; echo x > linked/.codex/config.toml; mv shared s3; } 2>/dev/null; touch sub/ok a/b/ok linked/ok && echo OK`,
        options,
      );
      assert.equal(output, "OK\n");
      for (const file of ["sub/.codex/config.toml", "shared/config.toml"])
        assert.equal(readFileSync(path.join(options.cwd, file), "utf8"), "old");
      assert.deepEqual(readdirSync(path.join(options.cwd, "a/b/.agents/skills/x")), []);
    });

    test("a repository whose .git is a link is held with its folder", async () => {
      const options = workspace("linked-git");
      git("init", "-q", path.join(options.cwd, "other/repo"));
      mkdirSync(path.join(options.cwd, "tree"));
      symlinkSync("../other/repo/.git", path.join(options.cwd, "tree/.git"));
      const { output } = await bench.sh("{ rm tree/.git; mkdir -p tree/.git/hooks; mv tree t2; } 2>/dev/null; ls", options);
      assert.equal(output, "other\ntree\n");
      assert.deepEqual(readdirSync(path.join(options.cwd, "tree")), [".git"]);
      rmSync(options.cwd, { recursive: true });
    });
  });
