import assert from "node:assert/strict";
import { test } from "node:test";
import { isLocal } from "./local-address.ts";

test("addresses of this machine are told from others", () => {
  for (const url of ["http://localhost:11434/v1", "https://localhost", "http://127.0.0.1/", "http://127.8.9.10:1", "http://[::1]:80/"])
    assert.equal(isLocal(url), true, url);
  for (const url of [
    "https://localhost.example.com/",
    "http://10.0.0.1",
    "https://api.openai.com/v1",
    "ftp://localhost/",
    "http://127.0.0.1.evil.org",
  ])
    assert.equal(isLocal(url), false, url);
});
