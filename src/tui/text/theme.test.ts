import assert from "node:assert/strict";
import { test } from "node:test";
import { span } from "./spans.ts";
import { createTheme } from "./theme.ts";

test("without colours only bold and underline are left", () => {
  const plain = createTheme({ brightness: "dark", depth: 1 });
  assert.equal(plain.paint([span("a", { color: "accent", background: "added" }), span("b", { bold: true })]), "a\u001b[1mb\u001b[0m");
});

test("light and dark differ, sixteen colours have no backgrounds", () => {
  const paint = (brightness: "dark" | "light", depth: 4 | 8 | 24) =>
    createTheme({ brightness, depth }).paint([span("x", { color: "accent", background: "added" })]);
  assert.notEqual(paint("dark", 24), paint("light", 24));
  assert.equal(paint("dark", 4), "\u001b[36mx\u001b[0m");
  assert.match(paint("light", 8), /48;5;194/);
});

test("terminals without Unicode get ASCII", () => {
  const { marks } = createTheme({ brightness: "dark", depth: 4, ascii: true });
  assert.match(Object.values(marks).flat().join(""), /^[\x20-\x7e]+$/);
});
