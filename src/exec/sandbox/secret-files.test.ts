import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { noteSecretFiles } from "../../home/secret-files.ts";
import { type Bench, openBench, testedEngines } from "../testing.ts";

const policies = [
  { type: "readOnly", networkAccess: true },
  { type: "readOnly" },
  { type: "workspaceWrite", networkAccess: true },
  { type: "workspaceWrite" },
] as const;

for (const { engine, skip, mounts, protects } of await testedEngines())
  describe(`files with the server's secrets, with ${engine}`, { skip }, () => {
    let base: string;
    let bench: Bench;
    const files: string[] = [];
    const secret = (file: string): string => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, "sk-31337\n", { mode: 0o600 });
      files.push(file);
      return file;
    };
    before(() => {
      base = mkdtempSync("/var/tmp/parley-secret-");
      bench = openBench({ engine, secretFiles: () => files });
    });
    after(async () => {
      await bench.close();
      rmSync(base, { recursive: true });
    });

    protects("cannot be read wherever they lie, in no mode, by no name", async () => {
      const own = secret(path.join(base, "keys/token"));
      writeFileSync(path.join(base, "keys/notes.txt"), "neighbour\n");
      const inWork = secret(path.join(bench.work, "deep/tls.key"));
      const inHome = secret(path.join(bench.base, "token"));
      const wide = secret(path.join(base, "wide/token"));
      for (let i = 0; i < 60; i++) writeFileSync(path.join(base, "wide", `file-${i}`), "");
      const linked = path.join(base, "links/token");
      mkdirSync(path.dirname(linked));
      symlinkSync(secret(path.join(base, "real/token")), linked);
      files.push(linked, path.join(base, "missing/token"), "/dev/stdin", "/proc/self/fd/0");
      const all = [own, inWork, inHome, wide, linked, path.join(base, "real/token")];
      for (const policy of policies) {
        const { output } = await bench.sh(
          `for f in ${all.join(" ")}; do cat $f; cp $f copy; ln $f hard; mv $f moved; cat copy hard moved; dd if=$f; done 2>/dev/null; mv deep d2 2>/dev/null; cat d2/* 2>/dev/null; grep -rs 31337 ${base} ${bench.work} /proc/self/root${base}; cat ${base}/keys/notes.txt; echo END`,
          { policy },
        );
        assert.equal(output, "neighbour\nEND\n", JSON.stringify(policy));
      }
      for (const file of all) assert.equal(readFileSync(file, "utf8"), "sk-31337\n", "they stay as they are");
    });

    test("one that is replaced while a command runs stays hidden in a folder with few entries", async () => {
      const file = secret(path.join(base, "rotated/token"));
      const line = `read x; cat ${file} ${file}.next ${path.dirname(file)}/later; echo END`;
      const long = await bench.start(["/bin/bash", "-c", line], { stdin: "open", policy: { type: "readOnly" } });
      writeFileSync(`${file}.new`, "sk-31337");
      renameSync(`${file}.new`, file);
      writeFileSync(path.join(path.dirname(file), "later"), "sk-31337");
      long.write("\n");
      await long.exit;
      assert.match(long.output(), /END/);
      assert.doesNotMatch(long.output(), /31337/);
    });

    protects("a folder of secrets is hidden as a whole", async () => {
      const file = secret(path.join(base, "folder/a/token"));
      files.push(path.join(base, "folder"));
      const { output } = await bench.sh(`cat ${file}; ls ${base}/folder; echo END`, { policy: { type: "readOnly" } });
      assert.match(output, /END/);
      assert.doesNotMatch(output, /31337|^a$/m);
    });

    test("those that another process of the same home has recorded are hidden, too", async () => {
      const file = path.join(base, "noted/token");
      mkdirSync(path.dirname(file));
      writeFileSync(file, "sk-31337");
      const show = async (): Promise<string> => (await bench.sh(`cat ${file}; echo END`, { policy: { type: "readOnly" } })).output;
      assert.match(await show(), /31337/);
      noteSecretFiles(bench.home, [file]);
      assert.doesNotMatch(await show(), /31337/);
      chmodSync(file, 0o600);
    });

    protects("one in the server's home does not expose the rest of it", async () => {
      const file = secret(path.join(bench.home, "parley/manager/token"));
      writeFileSync(path.join(path.dirname(file), "state.json"), "sk-31337");
      const open = secret(path.join(bench.home, "skills/x/token"));
      files.push(path.join(bench.home, "parley/more"));
      mkdirSync(path.join(bench.home, "parley/more"));
      const { output } = await bench.sh(`cat ${path.dirname(file)}/* ${open}; ls ${bench.home}; ls ${bench.home}/parley; echo END`, {
        policy: { type: "readOnly" },
      });
      assert.match(output, /END/);
      assert.doesNotMatch(output, /31337|manager\n|more\n|^parley$/m);
    });

    test("those outside the workspace cannot be read, and one inside is refused if it could not be hidden", async () => {
      const own = secret(path.join(base, "elsewhere/token"));
      for (const policy of policies) {
        const { output } = await bench.sh(`cat ${own}; cp ${own} copy; ln ${own} hard; cat copy hard; echo END`, { policy });
        assert.match(output, /END/);
        assert.doesNotMatch(output, /31337/);
      }
      if (mounts) return;
      secret(path.join(bench.work, "inside/token"));
      await assert.rejects(bench.sh("true"), /holds secrets of the server, lies in a folder that commands may write/);
    });

    protects("a command may still run next to one", async () => {
      secret(path.join(bench.work, "beside/token"));
      const { output } = await bench.sh("pwd; touch ok && ls; cat token", { cwd: path.join(bench.work, "beside") });
      assert.match(output, /beside\n.*ok\ntoken\n/s);
      assert.doesNotMatch(output, /31337/);
    });
  });
