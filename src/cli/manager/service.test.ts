import assert from "node:assert/strict";
import { test } from "node:test";
import { serviceText } from "./service.ts";

const service = {
  command: ["/opt/my node/node", "/opt/p%/parley.cjs", "manager", "--no-open"],
  home: "/home/a&b/.codex",
  searchPath: "/usr/bin:/bin",
};

test("a systemd unit runs the exact command, restarts it and reads keys from a file", () => {
  const text = serviceText("systemd", service);
  assert.match(text, /^ExecStart="\/opt\/my node\/node" \/opt\/p%%\/parley\.cjs manager --no-open$/m);
  assert.match(text, /^Environment="CODEX_HOME=\/home\/a&b\/\.codex"$/m);
  assert.match(text, /^EnvironmentFile=-\/home\/a&b\/\.codex\/parley\/service\.env$/m);
  assert.match(text, /^Restart=on-failure$/m);
});

test("a launchd property list contains the same as XML", () => {
  const text = serviceText("launchd", service);
  assert.match(text, /<string>\/opt\/my node\/node<\/string>\s*<string>\/opt\/p%\/parley\.cjs<\/string>/);
  assert.match(text, /<string>\/home\/a&amp;b\/\.codex<\/string>/);
  assert.match(text, /<key>KeepAlive<\/key>/);
});
