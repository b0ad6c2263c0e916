import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createConfigStore } from "../config/load.ts";
import { createProjectTrust } from "../config/project-trust.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ThreadSettings } from "../core/ports/settings.ts";
import type { Skills } from "../core/ports/skills.ts";
import type { UserInput } from "../protocol/item.ts";
import { parsePlain, readHead } from "./front-matter.ts";
import { createSkills } from "./skills.ts";
import { mentionedNames } from "./texts.ts";

let root: string;
let home: string;
let work: string;
let skills: Skills;
const scripted: ProviderConfig = {
  ...{ id: "scripted", name: "Scripted", baseUrl: "", wireApi: "scripted", envKey: undefined, bearerToken: undefined },
  ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 0, streamMaxRetries: 0 },
  ...{ streamIdleTimeoutMs: 1, requiresOpenaiAuth: false, options: {} },
};
const config = () => createConfigStore({ codexHome: home, env: {}, systemDir: path.join(root, "etc"), builtInProviders: { scripted } });
describe("skills", () => {
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-skills-")));
    home = path.join(root, "home", ".codex");
    work = path.join(root, "work");
    mkdirSync(home, { recursive: true });
    mkdirSync(path.join(work, ".git"), { recursive: true });
    skills = createSkills({
      codexHome: home,
      userHome: path.join(root, "home"),
      systemDir: path.join(root, "etc"),
      config: config(),
      projectTrust: createProjectTrust(home),
    });
  });
  afterEach(() => {
    skills.close();
    rmSync(root, { recursive: true, force: true });
  });

  const put = (file: string, text: string): string => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const skill = (folder: string, name: string, body = `Body of ${name}.`): string =>
    put(path.join(folder, name, "SKILL.md"), `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}\n`);
  const own = (name: string, body?: string): string => skill(path.join(home, "skills"), name, body);
  const list = async (cwd = work) => skills.list(cwd, { forceReload: false });
  const mine = async (cwd = work) => (await list(cwd)).skills.filter((s) => s.scope !== "system");
  const settings = (): ThreadSettings => ({ cwd: work }) as ThreadSettings;
  const inject = (...content: UserInput[]) => skills.injections(content, settings(), config().effective(work));
  const text = (value: string): UserInput => ({ type: "text", text: value, text_elements: [] });
  const trust = (): void => {
    put(path.join(home, "config.toml"), `[projects.${JSON.stringify(work)}]\ntrust_level = "trusted"\n`);
  };

  describe("finding skills", () => {
    it("searches the home, the user's folder, the project down to the folder, the machine and extra roots", async () => {
      own("b-own");
      own("a-own");
      skill(path.join(root, "home", ".agents", "skills"), "c-agents");
      skill(path.join(work, ".agents", "skills"), "p-agents");
      skill(path.join(work, ".codex", "skills"), "p-codex");
      skill(path.join(work, "sub", ".agents", "skills"), "p-sub");
      skill(path.join(root, "etc", "skills"), "z-admin");
      skill(path.join(root, "extra"), "x-extra");
      skills.setExtraRoots([path.join(root, "extra")]);
      const found = await mine(path.join(work, "sub"));
      assert.deepEqual(
        found.map((s) => [s.name, s.scope]),
        [
          ["p-agents", "repo"],
          ["p-codex", "repo"],
          ["p-sub", "repo"],
          ["a-own", "user"],
          ["b-own", "user"],
          ["c-agents", "user"],
          ["x-extra", "user"],
          ["z-admin", "admin"],
        ],
      );
      assert.ok(!(await mine()).some((s) => s.name === "p-sub"));
    });

    it("reports what is wrong with each broken file and continues", async () => {
      own("good");
      put(path.join(home, "skills", "bare", "SKILL.md"), "no head");
      put(path.join(home, "skills", "mute", "SKILL.md"), "---\nname: mute\n---\n");
      put(path.join(home, "skills", "odd", "SKILL.md"), "---\nname: [odd\n---\n");
      put(path.join(home, "skills", "big", "SKILL.md"), `---\nname: big\ndescription: b\n---\n${"x".repeat(300_000)}`);
      const { skills: found, errors } = await list();
      assert.deepEqual(
        found.filter((s) => s.scope === "user").map((s) => s.name),
        ["good"],
      );
      const messages = Object.fromEntries(errors.map((e) => [path.basename(path.dirname(e.path)), e.message]));
      assert.equal(messages["bare"], "missing YAML frontmatter delimited by ---");
      assert.equal(messages["mute"], "missing field `description`");
      assert.match(messages["odd"] ?? "", /^invalid YAML/);
      assert.match(messages["big"] ?? "", /larger than/);
    });

    it("finds nested ones, skips hidden folders, and survives cyclic links", async () => {
      skill(path.join(home, "skills", "group"), "nested");
      skill(path.join(home, "skills", ".hidden"), "hidden");
      symlinkSync(path.join(home, "skills"), path.join(home, "skills", "group", "loop"));
      assert.deepEqual(
        (await mine()).map((s) => s.name),
        ["nested"],
      );
    });

    it("follows no link out of a project", async () => {
      skill(path.join(root, "private"), "secret");
      mkdirSync(path.join(work, ".agents", "skills", "filelink"), { recursive: true });
      symlinkSync(path.join(root, "private"), path.join(work, ".agents", "skills", "folderlink"));
      symlinkSync(path.join(root, "private", "secret", "SKILL.md"), path.join(work, ".agents", "skills", "filelink", "SKILL.md"));
      skill(path.join(work, "shared"), "inside");
      symlinkSync(path.join(work, "shared"), path.join(work, ".agents", "skills", "allowed"));
      const { skills: found, errors } = await list();
      assert.deepEqual(
        found.filter((s) => s.scope === "repo").map((s) => s.name),
        ["inside"],
      );
      assert.match(errors.map((e) => e.message).join(), /leads out of the project/);
    });

    it("detects new, changed and removed skills without a forced reload", async () => {
      assert.deepEqual(await mine(), []);
      const file = own("one");
      assert.deepEqual(
        (await mine()).map((s) => s.description),
        ["About one."],
      );
      put(file, "---\nname: one\ndescription: Something else.\n---\n");
      assert.deepEqual(
        (await mine()).map((s) => s.description),
        ["Something else."],
      );
      rmSync(path.dirname(file), { recursive: true });
      assert.deepEqual(await mine(), []);
    });

    it("notifies listeners of a change, also in folders that did not exist before", async () => {
      await list();
      const changed = new Promise<void>((resolve) => skills.onChange(resolve));
      skill(path.join(work, ".agents", "skills"), "fresh");
      await changed;
      const again = new Promise<void>((resolve) => skills.onChange(resolve));
      skill(path.join(work, ".agents", "skills"), "fresher");
      await again;
    });

    it("installs two bundled skills, once, and leaves those of other programs alone", async () => {
      const creator = path.join(home, "skills", ".system", "skill-creator", "SKILL.md");
      put(creator, "---\nname: skill-creator\ndescription: Theirs.\n---\n");
      const system = (await list()).skills.filter((s) => s.scope === "system");
      assert.deepEqual(
        system.map((s) => [s.name, s.description === "Theirs."]),
        [
          ["skill-creator", true],
          ["skill-installer", false],
        ],
      );
      assert.match(readFileSync(path.join(home, "skills", ".system", "skill-installer", "SKILL.md"), "utf8"), /bundled with parley/);
    });

    it("installs none when they are disabled", async () => {
      put(path.join(home, "config.toml"), "[skills.bundled]\nenabled = false\n");
      assert.deepEqual((await list()).skills, []);
      assert.ok(!existsSync(path.join(home, "skills", ".system")));
    });
  });

  describe("the head of a skill", () => {
    it("may define its interface and dependencies in the file beside it", async () => {
      const head = await readHead(
        "/s/withui/SKILL.md",
        "---\ndescription: |\n  Two\n  lines\nmetadata:\n  short-description: Short\n---\n",
        'interface:\n  display_name: UI\n  icon_small: ./a.png\n  icon_large: ../../b.png\n  brand_color: "#ff0000"\ndependencies:\n  tools:\n    - type: mcp\n      value: github\n',
      );
      assert.deepEqual([head.name, head.description, head.shortDescription], ["withui", "Two lines", "Short"]);
      assert.deepEqual(
        [head.interface?.displayName, head.interface?.iconSmall, head.interface?.iconLarge, head.interface?.brandColor],
        ["UI", "/s/withui/a.png", null, "#ff0000"],
      );
      assert.deepEqual(head.dependencies, { tools: [{ type: "mcp", value: "github" }] });
    });

    it("is parsed without the YAML library only where both would agree", async () => {
      const { parse } = await import("yaml");
      const plain = ['name: a\ndescription: Words, and "more" (yes).', "a: b\n\n# c\nm:\n  x: 'y z'\n  w: v\nn: \"q\"", "name: it's"];
      for (const yaml of plain) assert.deepEqual(parsePlain(yaml), parse(yaml), yaml);
      const rich = [
        "a: 1",
        "a: true",
        "a: b: c",
        "a: b # c",
        "a: [b]",
        "a: |\n  b",
        "a: &x b",
        "- a",
        "a: b\n c",
        "a: 2020-01-01",
        'a: "\\n"',
        "a:\n   b: c",
        "a: b\na: c",
      ];
      for (const yaml of rich) assert.equal(parsePlain(yaml), undefined, yaml);
    });
  });

  describe("what the model reads", () => {
    it("lists name, description and file of usable skills, not their bodies", async () => {
      const file = own("bake", "MARKER");
      const catalogue = (await skills.catalogue(settings(), config().effective(work))) ?? "";
      assert.ok(catalogue.startsWith("<skills_instructions>") && catalogue.includes(`- bake: About bake. (file: ${file})`));
      assert.ok(!catalogue.includes("MARKER"));
      const without = config().effective(work, { skills: { include_instructions: false } });
      assert.equal(await skills.catalogue(settings(), without), undefined, "none are offered to the model");
    });

    it("has the body for an item and for a $name, each once", async () => {
      const file = own("bake", "MARKER-BAKE");
      own("brew", "MARKER-BREW");
      const texts = await inject(text("$bake and $brew, please; $HOME too"), { type: "skill", name: "bake", path: file });
      assert.equal(texts.length, 2);
      assert.ok(texts[0]?.startsWith(`<skill>\n<name>bake</name>\n<path>${file}</path>\n---\n`) && texts[0].includes("MARKER-BAKE"));
      assert.ok(texts[1]?.includes("MARKER-BREW"));
      assert.deepEqual(await inject(text("nothing here")), []);
    });

    it("has a note instead of a body where the skill is disabled, unknown or ambiguous", async () => {
      const file = own("bake", "MARKER");
      assert.equal(await skills.setEnabled({ path: file }, false), false);
      const off = await inject({ type: "skill", name: "bake", path: file });
      assert.match(off.join(), /switched it off/);
      assert.match((await inject({ type: "skill", name: "passwd", path: "/etc/passwd" })).join(), /no such skill/);
      own("twin");
      skill(path.join(home, "skills", "other"), "twin");
      assert.deepEqual(await inject(text("$twin")), []);
    });

    it("has nothing of a project's skills before the user trusts it", async () => {
      const file = skill(path.join(work, ".agents", "skills"), "evil", "MARKER-EVIL");
      assert.ok((await mine()).some((s) => s.name === "evil" && s.scope === "repo"));
      assert.doesNotMatch((await skills.catalogue(settings(), config().effective(work))) ?? "", /evil/);
      for (const named of [text("$evil"), { type: "skill", name: "evil", path: file } as const]) {
        const told = (await inject(named)).join();
        assert.ok(told.includes("has not trusted") && !told.includes("MARKER") && !told.includes("About"), told);
      }
      trust();
      assert.match((await skills.catalogue(settings(), config().effective(work))) ?? "", /- evil:/);
      assert.match((await inject(text("$evil"))).join(), /MARKER-EVIL/);
    });

    it("uses the one of two that a link names by its file", async () => {
      const first = own("twin", "The first.");
      const second = skill(path.join(root, "home", ".agents", "skills"), "twin", "The second.");
      assert.deepEqual(await inject(text("use $twin")), [], "which one is not said");
      const [body, more] = await inject(text(`use [$twin](${second})`));
      assert.match(body ?? "", /The second\./);
      assert.equal(more, undefined);
      assert.match((await inject(text(`[$twin](skill://${first})`))).join(), /The first\./);
      assert.deepEqual(await inject(text(`[$twin](${root}/SKILL.md)`)), []);
    });

    it("treats only names after a dollar sign as mentions", () => {
      assert.deepEqual(mentionedNames("use $a-b. then $c, ($d) cost $5 a$e $$f \\$g $a-b"), ["a-b", "c", "d", "5"]);
    });
  });

  describe("switching skills", () => {
    it("writes the user's list and keeps what else is there", async () => {
      put(path.join(home, "config.toml"), '# mine\n[[skills.config]]\npath = "/else" # keep\nenabled = false\n');
      const file = own("bake");
      await skills.setEnabled({ path: file }, false);
      assert.equal((await mine())[0]?.enabled, false);
      await skills.setEnabled({ name: "bake" }, false);
      assert.equal(await skills.setEnabled({ path: file }, true), true);
      assert.equal((await mine())[0]?.enabled, true);
      await skills.setEnabled({ name: "bake" }, true);
      await skills.setEnabled({ path: file }, true);
      assert.equal((await mine())[0]?.enabled, true);
      assert.equal(
        readFileSync(path.join(home, "config.toml"), "utf8"),
        '# mine\n[[skills.config]]\npath = "/else" # keep\nenabled = false\n',
      );
    });
  });
});
