import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceText } from "./replace.ts";

const replaced = (text: string, oldText: string, newText: string, all = false): string => {
  const result = replaceText(text, { oldText, newText, all }, "f");
  return "failed" in result ? `FAILED ${result.failed}` : result.text;
};

test("the one place is changed, byte for byte around it", () => {
  assert.equal(replaced("\ufeffa $1 b\n", "b", "$& $1"), "\ufeffa $1 $& $1\n");
  assert.equal(replaced("one\ntwo\n", "two\n", ""), "one\n");
});

test("the file's line breaks are kept, whatever the model writes", () => {
  assert.equal(replaced("a\r\nb\r\nc\r\n", "a\nb", "x\ny"), "x\r\ny\r\nc\r\n");
  assert.equal(replaced("a\r\nb\r\n", "b\r\n", "z\r\n"), "a\r\nz\r\n");
  assert.equal(replaced("a\r\nb\nc\n", "b\nc", "x"), "a\r\nx\n");
});

test("a text that occurs twice is refused with its positions, unless all are meant", () => {
  assert.match(replaced("x\ny\nx\n", "x", "z"), /occurs 2 times in f, at lines 1, 3; .*replace_all/);
  assert.equal(replaced("x\ny\nx\n", "x", "z", true), "z\ny\nz\n");
  assert.match(replaced("x\n".repeat(5000), "x\n", "z"), /at lines 1, 2, .* and further down/);
});

test("trailing spaces and typographic characters do not matter for whole lines; indentation does", () => {
  assert.equal(replaced("def f():  \n    pass\n", "def f():\n    pass", "def g():\n    pass"), "def g():\n    pass\n");
  assert.equal(replaced("say(“hi”)\nend\n", 'say("hi")\n', ""), "end\n");
  assert.match(replaced("    pass\n", "  pass x", "y"), /FAILED/);
  assert.match(replaced("a  \nb\na   \nb\n", "a\nb", "c"), /occurs 2 times/);
});

test("no match shows the nearest lines", () => {
  const text = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n");
  const failed = replaced(`${text}\nconst total = a + b;\n`, "const total = a - b;", "x");
  assert.match(failed, /does not occur in f\. The nearest lines are:[\s\S]*31\| const total = a \+ b;/);
  assert.match(replaced("alpha\n", "omega", "x"), /Read the file again/);
  assert.match(replaced("a\n", "", "x"), /old_text is empty/);
});
