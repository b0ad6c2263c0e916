import assert from "node:assert/strict";
import { test } from "node:test";
import { interceptPatch } from "./heredoc.ts";

const patch = "*** Begin Patch\n*** Add File: a\n+x $HOME `id`\n*** End Patch";
const script = (text: string) => interceptPatch(["bash", "-lc", text], "/ws");

test("a pure patch is recognized in every form that models send", () => {
  const found = { patch, cwd: "/ws" };
  assert.deepEqual(interceptPatch(["apply_patch", patch], "/ws"), found);
  assert.deepEqual(interceptPatch(["/usr/bin/applypatch", patch], "/ws"), found);
  assert.deepEqual(script(`apply_patch <<'EOF'\n${patch}\nEOF`), found);
  assert.deepEqual(script(`\n  apply_patch << "EOF" \n${patch}\nEOF\n\n`), found);
  assert.deepEqual(script(`applypatch <<EOF\n${patch}\nEOF`), found);
  assert.deepEqual(script(`apply_patch <<-EOF\n${patch.replace(/^/gm, "\t")}\n\tEOF`), found);
  assert.deepEqual(interceptPatch(["/bin/zsh", "-c", `apply_patch <<'E'\n${patch}\nE`], "/ws"), found);
});

test("a cd to a plain folder before it is applied", () => {
  assert.deepEqual(script(`cd sub && apply_patch <<'EOF'\n${patch}\nEOF`), { patch, cwd: "/ws/sub" });
  assert.deepEqual(script(`cd 'a b' && apply_patch <<'EOF'\n${patch}\nEOF`), { patch, cwd: "/ws/a b" });
  assert.deepEqual(script(`cd "/x y" &&\napply_patch <<'EOF'\n${patch}\nEOF`), { patch, cwd: "/x y" });
});

test("anything more is an ordinary command", () => {
  const here = `apply_patch <<'EOF'\n${patch}\nEOF`;
  for (const text of [
    `${here}\necho hi`,
    `echo hi; ${here}`,
    `cd a; ${here}`,
    `cd $HOME && ${here}`,
    `cd "$HOME" && ${here}`,
    `cd ~ && ${here}`,
    `cd a* && ${here}`,
    `cd -P x && ${here}`,
    `cd -- x && ${here}`,
    `cd a b && ${here}`,
    `cd a && cd b && ${here}`,
    `X=1 ${here}`,
    `apply_patch --x <<'EOF'\n${patch}\nEOF`,
    `apply_patch <<'EOF' > out\n${patch}\nEOF`,
    `apply_patch <<'EOF' | tee x\n${patch}\nEOF`,
    `apply_patch <<'EOF'\n${patch}\nEOF2`,
    `apply_patch <<'EOF'\n${patch}`,
    `apply_patch <<'A' <<'B'\n${patch}\nA\nB`,
    "apply_patch",
    "",
  ])
    assert.equal(script(text), undefined, text);
  assert.equal(interceptPatch(["bash", "-lc", here, "x"], "/ws"), undefined);
  assert.equal(interceptPatch(["bash", "-x", here], "/ws"), undefined);
  assert.equal(interceptPatch(["python3", "-c", here], "/ws"), undefined);
  assert.equal(interceptPatch(["apply_patch"], "/ws"), undefined);
  assert.equal(interceptPatch(["apply_patch", patch, "more"], "/ws"), undefined);
  assert.equal(interceptPatch([], "/ws"), undefined);
});

test("a patch without its command is answered with the right form", () => {
  const found = script(patch);
  assert.ok(found !== undefined && "failed" in found && found.failed.includes("apply_patch"));
});
