/** Contrast of code colours on every background that a diff uses. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const tokens = readFileSync(new URL("../../styles/tokens.css", import.meta.url), "utf8");

/** A variable's colour in one theme, resolved through other variables. */
function colorOf(name: string, theme: 0 | 1): string {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(tokens)?.[1] ?? assert.fail(`no --${name}`);
  const other = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
  if (other !== undefined) return colorOf(other, theme);
  return /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(value)?.[theme + 1] ?? value;
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = (color.match(/[0-9a-f]{2}/gi) ?? []).map((hex) => {
    const part = Number.parseInt(hex, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test("code has a contrast of 4.5 on plain, added and removed lines, and plain text on the marks, in both themes", () => {
  const names = [...tokens.matchAll(/--(code-token-[\w-]+|code-foreground):/g)].map(([, name]) => name ?? "");
  assert.ok(names.length > 8);
  for (const theme of [0, 1] as const) {
    for (const ground of ["surface", "diff-add", "diff-remove"])
      for (const name of names) {
        const found = contrast(colorOf(name, theme), colorOf(ground, theme));
        assert.ok(found >= 4.5, `${name} on ${ground}, ${theme === 0 ? "light" : "dark"}: ${found.toFixed(2)}`);
      }
    for (const mark of ["diff-add-mark", "diff-remove-mark"])
      assert.ok(contrast(colorOf("text", theme), colorOf(mark, theme)) >= 4.5, mark);
  }
});
