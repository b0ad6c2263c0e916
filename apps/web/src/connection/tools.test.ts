import assert from "node:assert/strict";
import { test } from "node:test";
import { reachedHere } from "./tools.ts";

test("a preview is opened by the address that this browser is at", () => {
  const url = "https://127.0.0.1:4321/?parley-preview=c";
  assert.equal(reachedHere(url, "192.168.1.20"), "https://192.168.1.20:4321/?parley-preview=c");
  assert.equal(reachedHere(url, "localhost"), url);
  assert.equal(reachedHere("https://10.0.0.7:1/x", "box.lan"), "https://10.0.0.7:1/x");
});
