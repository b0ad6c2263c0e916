import assert from "node:assert/strict";
import { test } from "node:test";
import { isPrivateAddress, isPrivateHost, refusePrivateTarget } from "./private-network.ts";

test("private and public addresses are distinguished in every spelling", () => {
  const inside = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
  ];
  const six = ["[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]"];
  const names = ["localhost", "localhost.", "a.localhost", "metadata.google.internal", "printer.local", "intranet"];
  for (const host of [...inside, ...six, ...names]) assert.ok(isPrivateHost(new URL(`http://${host}/x`)), host);
  for (const host of ["example.com", "8.8.8.8", "172.32.0.1", "[2606:4700::1111]", "localhost.example.com", "[::ffff:8.8.8.8]"])
    assert.ok(!isPrivateHost(new URL(`https://${host}/x`)), host);
});

test("results of DNS lookups are checked in every form of an address", () => {
  for (const address of [
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "fe80::1%eth0",
    "2002:7f00:1::",
    "224.0.0.1",
    "255.255.255.255",
    "nonsense",
    "",
  ])
    assert.ok(isPrivateAddress(address), address);
  for (const address of ["93.184.216.34", "2606:4700::1111", "::ffff:93.184.216.34"]) assert.ok(!isPrivateAddress(address), address);
});

test("a public server may not name private addresses, a private one may, and none the clouds' metadata service", () => {
  const refused = (target: string, from: string): boolean => refusePrivateTarget(new URL(target), new URL(from)) !== undefined;
  assert.ok(refused("http://127.0.0.1:8080/token", "https://mcp.example.com/"));
  assert.ok(refused("http://metadata.google.internal/", "https://mcp.example.com/"));
  assert.ok(!refused("https://login.example.com/token", "https://mcp.example.com/"));
  assert.ok(!refused("http://127.0.0.1:2/token", "http://127.0.0.1:1/mcp"));
  assert.ok(!refused("http://intranet/token", "http://intranet/mcp"));
  assert.ok(refused("http://169.254.169.254/latest/meta-data", "http://127.0.0.1:1/mcp"));
});
