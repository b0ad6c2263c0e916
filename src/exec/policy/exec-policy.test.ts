import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { ExecPolicy } from "../../core/ports/exec-policy.ts";
import { RulesError } from "../../shell/policy/starlark.ts";
import { createExecPolicy } from "./exec-policy.ts";

/** They look harmless, but each does more. */
const tricks = [
  ...["ls; touch PWN", "ls && touch PWN", "ls || touch PWN", "ls | tee PWN", "ls & touch PWN", "ls\ntouch PWN", "ls\r\ntouch PWN"],
  ...["echo $(touch PWN)", "echo `touch PWN`", 'echo "$(touch PWN)"', "cat <(touch PWN)", "ls > PWN", "echo hi >| PWN", "echo hi &> PWN"],
  ...[
    "find . -maxdepth 0 -exec touch PWN \\;",
    "find . -maxdepth 0 -fprint PWN",
    "find . -fls PWN",
    "find . -name zz -o -exec touch PWN +",
  ],
  ...[
    "sort /etc/hostname -o PWN",
    'sed -n "w PWN" /etc/hostname',
    "sed -i.bak s/a/b/ PWN; touch PWN",
    "awk 'BEGIN{system(\"touch PWN\")}'",
  ],
  ...[
    'rg --pre "touch PWN #" x /etc/hostname; touch PWN',
    'git -c core.pager="touch PWN" -p log',
    "git diff --no-index --output=PWN /etc/hostname /etc/passwd",
  ],
  ...[
    "git --exec-path=. status; touch PWN",
    "xargs -a /etc/hostname -I{} touch PWN",
    "env touch PWN",
    "command touch PWN",
    "exec touch PWN",
    'eval "touch PWN"',
  ],
  ...[
    "nice touch PWN",
    "timeout 5 touch PWN",
    'bash -c "touch PWN"',
    "FOO=bar touch PWN",
    "ls\\\n; touch PWN",
    "{ touch PWN; }",
    "(touch PWN)",
  ],
  ...[
    "if true; then touch PWN; fi",
    "f() { touch PWN; }; f",
    "ls ${IFS}; touch PWN",
    "tar cf PWN /etc/hostname",
    "tee PWN < /etc/hostname",
    "dd if=/etc/hostname of=PWN",
  ],
  ...[
    "cat <<EOF > PWN\nx\nEOF",
    "ls #\ntouch PWN",
    'trap "touch PWN" EXIT; ls',
    "export BASH_ENV=x; touch PWN",
    "date -f /etc/hostname; touch PWN",
  ],
  ...[
    "true\u00a0; touch PWN",
    "base64 /etc/hostname > PWN",
    'man -P "touch PWN" ls; touch PWN',
    "head -c1 /etc/hostname 1>PWN",
    "coproc touch PWN",
  ],
];

describe("the exec policy", () => {
  let base: string;
  let home: string;
  let work: string;
  before(() => {
    base = mkdtempSync(path.join(tmpdir(), "parley-policy-"));
    home = path.join(base, "home");
    work = path.join(base, "work");
    mkdirSync(work);
  });
  after(() => rmSync(base, { recursive: true }));

  const searchPath = "/usr/bin:/bin";
  const withRules = (text: string, at = searchPath): Promise<ExecPolicy> => {
    const file = path.join(base, "test.rules");
    writeFileSync(file, text);
    return createExecPolicy({ codexHome: home, ruleFiles: [file], searchPath: at });
  };
  const shell = (script: string): string[] => ["/bin/bash", "-lc", script];

  test("all tricks need approval, as a script and with rules for harmless programs", async () => {
    assert.equal(tricks.length, 54);
    const plain = await withRules("");
    const some = await withRules(
      'prefix_rule(pattern=[["ls", "echo", "cat", "true", "date", "git", "find"]], decision="prompt")\nprefix_rule(pattern=["git", "status"])',
    );
    for (const trick of tricks)
      for (const policy of [plain, some]) assert.equal(policy.decide(shell(trick), work).decision, "ask", JSON.stringify(trick));
  });

  test("known commands run without approval: a single reader, plain arguments, no option, found outside the workspace", async () => {
    const policy = await withRules("");
    const safe = [
      "ls",
      "ls src",
      "cat a.txt b.txt",
      "cat 'a b'",
      "head x",
      "pwd",
      "wc x",
      "stat x",
      "whoami",
      "uname",
      "true",
      "false",
      "nl x",
      "tail x",
    ];
    for (const script of safe) assert.deepEqual(policy.decide(shell(script), work), { decision: "allow", because: "knownSafe" }, script);
    assert.equal(policy.decide(["cat", "a.txt"], work).decision, "allow");
    const needsApproval = [
      "ls -l",
      "echo x",
      "date",
      "ls *",
      "cat ~/x",
      "ls | wc",
      "ls; pwd",
      "ls $x",
      "./ls",
      "/tmp/ls",
      "cat ä",
      "cat 'ä'",
      "bash -c ls",
      "rg x",
      "sudo ls",
      "LS",
    ];
    for (const script of needsApproval) assert.equal(policy.decide(shell(script), work).decision, "ask", script);
    assert.equal(policy.decide(["cat", "-A", "x"], work).decision, "ask");
    assert.equal(policy.decide([], work).decision, "ask");
  });

  test("a program with that name in the workspace is a different program", async () => {
    const bin = path.join(work, "bin");
    mkdirSync(bin, { recursive: true });
    for (const name of ["ls", "git"]) {
      writeFileSync(path.join(bin, name), "#!/bin/sh\n");
      chmodSync(path.join(bin, name), 0o755);
    }
    const policy = await withRules('prefix_rule(pattern=["git", "status"], decision="allow")', `${bin}:${searchPath}`);
    assert.equal(policy.decide(shell("ls"), work).decision, "ask");
    assert.equal(policy.decide(shell("git status"), work).decision, "ask");
    assert.equal(policy.decide(shell("git status"), "/", [work]).decision, "ask");
    assert.equal(policy.decide(shell(`${bin}/git status`), work).decision, "ask");
    const clean = await withRules('prefix_rule(pattern=["git", "status"], decision="allow")');
    assert.equal(clean.decide(shell("git status"), work).decision, "allow");
    assert.equal(clean.decide(shell("/usr/bin/git status"), work).decision, "allow");
    assert.equal(clean.decide(shell("/tmp/git status"), work).decision, "ask");
  });

  test("allow rules cover the plain command and every part of a compound one, and no more", async () => {
    const policy = await withRules(
      'prefix_rule(pattern=["git", "status"], decision="allow")\nprefix_rule(pattern=["echo"], decision="allow")',
    );
    for (const script of ["git status", "git status --short", "echo a && git status", "echo a | echo b; echo c"])
      assert.equal(policy.decide(shell(script), work).decision, "allow", script);
    const needsApproval = [
      ...[
        "git status; touch x",
        "git status && touch x",
        "git status | tee x",
        "git status & touch x",
        "git status\ntouch x",
        "git status > x",
        "echo $(touch x)",
      ],
      ...[
        "git status $(touch x)",
        "(git status)",
        "git statusx",
        "git -c a=b status",
        "echo hi; rm x",
        "echo `x`",
        "A=1 git status",
        "git status #x",
        "ls && git status",
      ],
      ...[Array.from({ length: 70 }, () => "echo a").join("; "), `${Array.from({ length: 60 }, () => "echo a").join("; ")}; touch x`],
    ];
    for (const script of needsApproval) assert.equal(policy.decide(shell(script), work).decision, "ask", script);
  });

  test("the strictest rule counts; prompts ask even for known commands", async () => {
    const policy = await withRules(
      'prefix_rule(pattern=["git"], decision="allow")\nprefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")\nprefix_rule(pattern=["git", "push", "--force"], decision="forbidden")\nprefix_rule(pattern=["ls"], decision="prompt")',
    );
    assert.equal(policy.decide(shell("git log"), work).decision, "allow");
    const needsApproval = policy.decide(shell("git log && git pull"), work);
    assert.ok(needsApproval.decision === "ask" && needsApproval.rule?.endsWith("test.rules:2"));
    assert.equal(policy.decide(shell("git push --force"), work).decision, "forbid");
    assert.equal(policy.decide(shell("ls"), work).decision, "ask");
    assert.equal(policy.decide(shell("git -C . pull"), work).decision, "ask", "options before the subcommand do not evade a rule");
    assert.equal(policy.decide(shell("git --no-pager push --force"), work).decision, "forbid");
  });

  test("forbidden commands are found in every corner, with the text that models know", async () => {
    const policy = await withRules(
      'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["git", "push"], decision="forbidden", justification="ask a human")',
    );
    assert.deepEqual(policy.decide(["bash", "-lc", "ls; rm y"], work), {
      decision: "forbid",
      reason: "`bash -lc 'ls; rm y'` rejected: policy forbids commands starting with `rm`",
    });
    assert.deepEqual(policy.decide(["git", "push", "origin"], work), {
      decision: "forbid",
      reason: "`git push origin` rejected: ask a human",
    });
    const forbidden = [
      ...[
        "rm x",
        "/bin/rm x",
        "echo $(rm x)",
        "echo `rm x`",
        "(rm x)",
        "{ rm x; }",
        "if true; then rm x; fi",
        "f() { rm x; }",
        "rm x > y",
        "A=1 rm x",
        "rm $x",
      ],
      ...[
        "env rm x",
        "env A=1 rm x",
        "sudo -n rm x",
        "timeout 5 rm x",
        "nohup nice rm x",
        "xargs rm",
        "bash -c 'rm x'",
        "bash -c 'rm $x'",
        "cat <(rm x)",
        "rm x &",
        "r\\m x",
      ],
    ];
    for (const script of forbidden) assert.equal(policy.decide(shell(script), work).decision, "forbid", script);
    const behindOptions = [
      ...["git -C . push", "git -c a=b push", "git --no-pager push", "git --git-dir .git --work-tree=. push", "env git -C /x push"],
      ...["sudo -u root rm x", "env -u HOME rm x", "timeout -s KILL 5 rm x", "xargs -I {} rm {}", "xargs -0n 1 rm", "stdbuf -o L rm x"],
      ...["env -S 'rm x'", "env --split-string='rm -f x'", "exec -a name rm x", "nice -n 5 rm x", "taskset -c 0 rm x", "setarch -R rm x"],
    ];
    for (const script of behindOptions) assert.equal(policy.decide(shell(script), work).decision, "forbid", script);
    for (const script of ["echo rm", "ls rm", "grep rm x", "xargs grep rm", "git pushx", "sudo echo rm", "git log -C push", "ls -a rm"])
      assert.notEqual(policy.decide(shell(script), work).decision, "forbid", script);
  });

  test("a rule for the shell call itself covers opaque scripts", async () => {
    const policy = await withRules(
      'prefix_rule(pattern=["bash", "-lc"], decision="allow")\nprefix_rule(pattern=["touch"], decision="prompt")',
    );
    assert.equal(policy.decide(["bash", "-lc", "echo $HOME"], work).decision, "allow");
    assert.equal(policy.decide(["bash", "-lc", "touch x"], work).decision, "ask");
  });

  test("a prefix is proposed for the first part without a rule, and never one that allows anything", async () => {
    const policy = await withRules('prefix_rule(pattern=["ls"], decision="allow")');
    const rule = (script: string, wanted?: string[]) => policy.proposedRule(shell(script), { wanted, outside: false });
    const proposed = (script: string, wanted?: string[]) => rule(script, wanted)?.prefix;
    assert.deepEqual(rule("touch made.txt && sleep 0.3"), { prefix: ["touch", "made.txt"], coversAll: false });
    assert.deepEqual(rule("ls && make all"), { prefix: ["make", "all"], coversAll: true }, "the other part has a rule");
    assert.equal(rule("npm run a -- x && npm run a -- y", ["npm", "run", "a"])?.coversAll, true);
    for (const script of ["echo $x", "bash", "python3", "python3 -c", "ls", "git", "sudo", "echo 'a\nb'"])
      assert.equal(proposed(script), undefined, script);
    assert.deepEqual(proposed("npm run test -- --watch", ["npm", "run", "test"]), ["npm", "run", "test"]);
    assert.deepEqual(proposed("npm run test", ["npm"]), ["npm", "run", "test"], "too wide");
    assert.deepEqual(proposed("npm run test", ["yarn"]), ["npm", "run", "test"], "another command");
  });

  test("remembering writes one rule once, takes effect at once, and survives concurrent writers", async () => {
    const policy = await createExecPolicy({ codexHome: home, searchPath });
    assert.equal(policy.decide(shell("touch a.txt"), work).decision, "ask");
    await policy.remember(["touch", "a.txt"], false);
    assert.equal(policy.decide(shell("touch a.txt"), work).decision, "allow");
    assert.equal(policy.decide(shell("touch a.txt b"), work).decision, "allow");
    assert.equal(policy.decide(shell("touch b"), work).decision, "ask");
    const other = await createExecPolicy({ codexHome: home, searchPath });
    assert.equal(other.decide(shell("touch a.txt"), work).decision, "allow");
    await Promise.all([policy, other].flatMap((one) => Array.from({ length: 8 }, (_, i) => one.remember(["echo", `"${i}" \\ $x`], false))));
    const lines = readFileSync(path.join(home, "rules/default.rules"), "utf8").trim().split("\n");
    assert.equal(lines.length, 9);
    assert.equal(lines[0], 'prefix_rule(pattern=["touch", "a.txt"], decision="allow")');
    const fresh = await createExecPolicy({ codexHome: home, searchPath });
    assert.equal(fresh.decide(["echo", '"3" \\ $x'], work).decision, "allow");
    await assert.rejects(policy.remember([], false));
  });

  test("a rule allows inside the sandbox; one that was remembered for leaving it allows both", async () => {
    const policy = await createExecPolicy({ codexHome: home, searchPath });
    const decide = (script: string) => {
      const verdict = policy.decide(shell(script), work);
      return verdict.decision === "allow" && verdict.because === "rule" ? verdict.outside : verdict.decision;
    };
    await policy.remember(["ls", "-l"], false);
    assert.equal(decide("ls -l"), false);
    const outside = { wanted: undefined, outside: true };
    assert.deepEqual(policy.proposedRule(shell("ls -l"), outside)?.prefix, ["ls", "-l"], "what is allowed inside can be granted outside");
    assert.equal(policy.proposedRule(shell("ls -l"), { ...outside, outside: false }), undefined);
    await policy.remember(["ls", "-l"], true);
    assert.equal(decide("ls -l"), true);
    assert.equal(policy.proposedRule(shell("ls -l"), outside), undefined);
    await policy.remember(["mkdir", "x"], false);
    assert.equal(decide("ls -l && mkdir x"), false, "each part needs the grant");
    const fresh = await createExecPolicy({ codexHome: home, searchPath });
    assert.deepEqual(fresh.decide(shell("ls -l"), work), {
      decision: "allow",
      because: "rule",
      rule: `${path.join(home, "rules/outside-sandbox.rules")}:1`,
      outside: true,
    });
    rmSync(path.join(home, "rules/outside-sandbox.rules"));
  });

  test("a rule does not allow what further words make of a harmless program", async () => {
    const prefixes = [
      ["rg"],
      ["find", "."],
      ["sed", "-n"],
      ["sed", "-n", "1p"],
      ["sort"],
      ["git", "log"],
      ["git", "grep"],
      ["git"],
      ["fd"],
      ["tar", "-tf"],
    ];
    const policy = await withRules(prefixes.map((prefix) => `prefix_rule(pattern=${JSON.stringify(prefix)}, decision="allow")`).join("\n"));
    const needsApproval = [
      ...["rg --pre ./x a", "rg --pre=./x a", "find . -exec touch x +", "find . -name a -delete", "find . -fprintf x a"],
      ...[
        "sed -n '1e touch x' f",
        "sed -n 'w x' f",
        "sed -ni 1p f",
        "sed -n -i 1p f",
        "sed -n --in-pl 1p f",
        "sed -n -f s f",
        "sed -n 1p -e 1e",
      ],
      ...["sort f -o x", "sort -ro x f", "sort --outp=x f", "sort --compress-program=./x f"],
      ...["git log --output=x", "git log --outp x", "git log --ext-diff -p", "git grep -O./x a", "git grep --open-files-in-pager=./x a"],
      ...[
        "git -c core.pager=./x log",
        "git -c core.fsmonitor=./x status",
        "git --exec-path=. x",
        "git -p log",
        "fd a -x touch",
        "tar -tf a -I ./x",
      ],
    ];
    const allowed = [
      ...["rg a -n --hidden", "find . -name a -type f", "sed -n 1,5p f g", "sed -n 1p f", "sort -r f", "sort -u -k2 f"],
      ...["git log --oneline -5", "git grep -n a", "git status --short", "git commit -c HEAD", "fd a -t f", "tar -tf a.tar"],
    ];
    const wrong = (scripts: readonly string[], expected: string): string[] =>
      scripts.filter((script) => {
        const { decision } = policy.decide(shell(script), work);
        // A program that is not installed here is never allowed.
        return decision !== expected && !(expected === "allow" && /^(rg|fd) /.test(script));
      });
    assert.deepEqual([wrong(needsApproval, "ask"), wrong(allowed, "allow")], [[], []]);
  });

  test("rules files: the complete syntax", async () => {
    const policy = await withRules(`
# a comment
READERS = ["cat", 'head']
prefix_rule(
    pattern = ["git", ["status", "diff"]],   # alternatives
    decision = "allow",
    match = [["git", "status"], "git diff --stat 'a b'"],
    not_match = ["git push"],
    justification = """fine""",
)
prefix_rule(pattern = READERS[0:0] if False else ["x"])
`).catch((error: unknown) => error);
    assert.ok(policy instanceof RulesError, "Starlark beyond the subset is refused");
    const sound = await withRules(`
GIT = ["git"]
prefix_rule(pattern = GIT + [["status", "diff"]], match = [["git", "status"], "git diff --stat 'a b'"], not_match = ["git push"], justification = """fine""")
prefix_rule(
    pattern = ["a" + "b", r"c\\d"],
)
host_executable(name = "git", paths = ["/opt/git/bin/git"])
network_rule(host = "example.com", protocol = "https", decision = "allow")
`);
    assert.equal(sound.decide(shell("git diff x"), work).decision, "allow");
    assert.equal(sound.decide(shell("/opt/git/bin/git status"), work).decision, "allow");
    assert.equal(sound.decide(shell("/usr/bin/git status"), work).decision, "ask", "only the listed path counts");
  });

  test("rules files: mistakes are reported with file and line", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["\nprefix_rule(pattern=[])", /test\.rules:2: pattern must contain strings/],
      ['prefix_rule(pattern=["a"], decision="maybe")', /:1: decision must be one of allow, prompt, forbidden/],
      ['prefix_rule(pattern=["a"], match=["b"])', /match example b does not fit/],
      ['prefix_rule(pattern=["a"], not_match=["a b"])', /not_match example a b fits/],
      ['prefix_rule(pattern=["a"], color="red")', /no argument color/],
      ['\n\nforbid(pattern=["a"])', /:3: unknown rule forbid/],
      ['prefix_rule(pattern=["a)', /closing quote/],
      ['prefix_rule(["a"])', /name=value/],
      ['prefix_rule(pattern=["a"]', /expected "," or "\)"/],
      ['prefix_rule(pattern=["a"], pattern=["b"])', /given twice/],
      ['prefix_rule(pattern=[["a", 1]])', /unexpected "1"/],
      ['host_executable(name="git", paths=["git"])', /must be absolute/],
      ['prefix_rule(pattern=["a"], justification=" ")', /must not be empty/],
      ["load('x')", /name=value/],
      ['prefix_rule(pattern=["a"], match=[""])', /is empty/],
    ];
    for (const [text, message] of cases)
      await assert.rejects(withRules(text), (error) => {
        assert.ok(error instanceof RulesError, text);
        assert.match(error.message, message);
        return true;
      });
  });

  test("a folder means its .rules files, in order; missing ones are skipped", async () => {
    const folder = path.join(base, "rules");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "b.rules"), 'prefix_rule(pattern=["make"], decision="allow")');
    writeFileSync(path.join(folder, "notes.txt"), "not a rule (");
    const policy = await createExecPolicy({ codexHome: home, ruleFiles: [folder, path.join(base, "none")], searchPath });
    assert.equal(policy.decide(shell("make"), work).decision, "allow");
  });
});
