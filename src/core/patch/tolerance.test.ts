/** Patches as models write them: mistakes with one possible meaning are accepted, those that would need a guess are rejected. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePatch } from "./parse.ts";
import { updateText } from "./update.ts";

const file = "import os\n\ndef greet():\n    print('Hi')\n\ndef bye():\n    print('Bye')\n";
const changed = file.replace("'Hi'", "'Hello'");
const body = "*** Update File: app.py\n@@ def greet():\n-    print('Hi')\n+    print('Hello')";
const patch = `*** Begin Patch\n${body}\n*** End Patch`;

type Files = Readonly<Record<string, string | undefined>>;

/** The files after the patch, or the error message. */
function applied(text: string, before: Files): Files | string {
  const parsed = parsePatch(text);
  if ("failed" in parsed) return parsed.failed;
  const files: Record<string, string | undefined> = { ...before };
  for (const hunk of parsed.hunks) {
    if (hunk.op === "add") files[hunk.path] = hunk.content;
    if (hunk.op === "delete") files[hunk.path] = undefined;
    if (hunk.op !== "update") continue;
    const updated = updateText(files[hunk.path] ?? "", hunk.chunks, hunk.path);
    if ("failed" in updated) return updated.failed;
    files[hunk.path] = undefined;
    files[hunk.movePath ?? hunk.path] = updated.text;
  }
  return files;
}

/** Each of them must leave app.py changed. */
const updates: Readonly<Record<string, string>> = {
  plain: patch,
  fenced: `\`\`\`diff\n${patch}\n\`\`\``,
  "fenced without a language": `\`\`\`\n${patch}\n\`\`\`\n`,
  "prose before and after": `Here is the patch:\n\n${patch}\n\nThat should do it.`,
  "no begin and end": body,
  "no begin": `${body}\n*** End Patch`,
  "markers in other case": patch.replace("Begin Patch", "begin patch").replace("End Patch", "END PATCH"),
  "a here-document": `apply_patch <<'EOF'\n${patch}\nEOF`,
  CRLF: patch.replaceAll("\n", "\r\n"),
  "line breaks escaped twice": patch.replaceAll("\n", "\\n"),
  "moved to the right as a whole": patch.replaceAll(/^/gm, "    "),
  "kept line without its space": patch.replace("@@ def greet():\n", "@@\ndef greet():\n"),
  "missing colon": patch.replace("Update File: ", "Update File "),
  "no word File": patch.replace("Update File: ", "Update: "),
  "another verb": patch.replace("Update", "Modify"),
  "a path in backticks": patch.replace("app.py", "`app.py`"),
  "no @@ at all": patch.replace("@@ def greet():\n", ""),
  "no space behind @@": patch.replace("@@ def", "@@def"),
  "@@ at both ends": patch.replace("greet():", "greet(): @@"),
  "line numbers behind @@": patch.replace("@@ def greet():", "@@ -3,2 +3,2 @@"),
  "spaces at a line's end": patch.replace("'Hi')", "'Hi')  "),
  "other indentation": patch.replace("-    print", "-  print"),
  "typographic quotes": patch.replace("'Hi'", "\u2018Hi\u2019"),
  "a unified diff": "--- a/app.py\n+++ b/app.py\n@@ -3,2 +3,2 @@\n def greet():\n-    print('Hi')\n+    print('Hello')\n",
  "a git diff":
    "diff --git a/app.py b/app.py\nindex 123..456 100644\n--- a/app.py\n+++ b/app.py\n@@ -3,2 +3,2 @@ import os\n def greet():\n-    print('Hi')\n+    print('Hello')\n",
  "a unified diff between the markers":
    "*** Begin Patch\n--- app.py\n+++ app.py\n@@ -3,2 +3,2 @@\n def greet():\n-    print('Hi')\n+    print('Hello')\n*** End Patch",
  "a diff's header below the patch's": patch.replace("@@ def", "--- a/app.py\n+++ b/app.py\n@@ def"),
  "a note about the last line": patch.replace("+    print('Hello')", "+    print('Hello')\n\\ No newline at end of file"),
  "blank lines between": patch.replace("@@", "\n@@"),
  "an environment line": patch.replace("*** Update", "*** Environment ID: local\n*** Update"),
};

test("mistakes with one possible meaning are accepted", () => {
  for (const [name, text] of Object.entries(updates)) {
    const files = applied(text, { "app.py": file });
    assert.deepEqual(files, { "app.py": changed }, `${name}: ${JSON.stringify(files)}`);
  }
});

test("new files have a plus before each line, or none at all", () => {
  const wanted = { "n.md": "# T\n\ntext\n" };
  for (const lines of ["+# T\n+\n+text", "+# T\n\n+text", "# T\n\ntext"])
    assert.deepEqual(applied(`*** Begin Patch\n*** Add File: n.md\n${lines}\n*** End Patch`, {}), wanted, lines);
  assert.deepEqual(applied("--- /dev/null\n+++ b/n.md\n@@ -0,0 +1,3 @@\n+# T\n+\n+text\n", {}), wanted);
  assert.deepEqual(applied("*** Begin Patch\n*** Create File: n.md\n+# T\n+\n+text\n*** End of File\n*** End Patch", {}), wanted);
});

test("two patches in one are both applied; so are deletes and moves in other notations", () => {
  const second = "*** Begin Patch\n*** Add File: b\n+b\n*** End Patch";
  assert.deepEqual(applied(`${patch}\n\n${second}`, { "app.py": file }), { "app.py": changed, b: "b\n" });
  assert.deepEqual(applied("*** Begin Patch\n*** Remove File: a\n*** End Patch", { a: "x\n" }), { a: undefined });
  assert.deepEqual(applied("--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", { a: "x\n" }), { a: undefined });
  assert.deepEqual(applied("*** Begin Patch\n*** Update File: a\n*** Rename to: b\n@@\n-x\n+y\n*** End Patch", { a: "x\n" }), {
    a: undefined,
    b: "y\n",
  });
});

test("a patch that would need a guess is rejected", () => {
  const refused: Readonly<Record<string, RegExp>> = {
    [patch.replace("\n*** End Patch", "")]: /last line/,
    "please change Hi to Hello": /first line/,
    "": /first line/,
    "*** Begin Patch\n*** Add File: a\n+x\nstray\n*** End Patch": /'stray'/,
    "--- a/app.py\nsome text": /first line/,
  };
  for (const [text, why] of Object.entries(refused)) assert.match(String(applied(text, { "app.py": file })), why, text);
});

test("a chunk that does not match is answered with the most similar lines and their numbers", () => {
  const miss = patch.replace("@@ def greet():\n-    print('Hi')", "@@\n-    print('Hi', name)");
  assert.match(
    String(applied(miss, { "app.py": file })),
    /Failed to find expected lines in app\.py:[\s\S]*The nearest lines are:[\s\S]*4\| {5}print\('Hi'\)/,
  );
  assert.doesNotMatch(String(applied(miss, { "app.py": "x\ny\n" })), /nearest/);
});

test("a chunk that matches two places changes the first and says so", () => {
  const twice = "a\nx\nb\nx\n";
  const parsed = parsePatch("*** Begin Patch\n*** Update File: f\n@@\n-x\n+y\n*** End Patch");
  const [hunk] = "hunks" in parsed ? parsed.hunks : [];
  const updated = updateText(twice, hunk?.op === "update" ? hunk.chunks : [], "f");
  assert.ok("text" in updated && updated.text === "a\ny\nb\nx\n");
  assert.match(updated.notes?.join() ?? "", /line 2 was changed, the one at line 4 was not/);
});

test("many patches in one text, and long texts, do not take long", () => {
  // CPU time, not wall-clock time: the machine may be busy.
  const started = process.cpuUsage();
  assert.ok("hunks" in parsePatch("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n".repeat(2000)));
  parsePatch(`*** Begin Patch\n${"*** Add File: a\n+x\n".repeat(20_000)}`);
  updateText(
    "x\n".repeat(200_000),
    [{ anchors: [], lines: Array.from({ length: 500 }, () => ({ sign: "-", text: "y z" })), atEnd: false }],
    "f",
  );
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});
