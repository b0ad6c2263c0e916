/** Hosts in one form, and the patterns that select them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalHost, hostMatcher, hostPattern } from "./host-pattern.ts";

test("a host has one form, however it is spelled", () => {
  const forms: Record<string, string | undefined> = {
    "Example.COM": "example.com",
    "example.com.": "example.com",
    "bücher.example": "xn--bcher-kva.example",
    "ＥＸＡＭＰＬＥ．com": "example.com",
    "127.1": "127.0.0.1",
    "0x7f.1": "127.0.0.1",
    "0177.0.0.1": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "127.0.0.1.": "127.0.0.1",
    "①②⑦.0.0.1": "127.0.0.1",
    "[::FFFF:127.0.0.1]": "127.0.0.1",
    "::ffff:10.0.0.1": "10.0.0.1",
    "[0:0:0:0:0:0:0:1]": "::1",
    "::1": "::1",
  };
  for (const [text, host] of Object.entries(forms)) assert.equal(canonicalHost(text), host, text);
});

test("what is no host is none", () => {
  const odd = ["", ".", "..", ".example.com", "a..b", "a b", "a\tb", "a\nb", "a/b", "a?b", "a#b", "user@host", "host:80", "a\\b", "a%2eb"];
  for (const text of [
    ...odd,
    "[::1",
    "::1]",
    "[::1]x",
    "[fe80::1%eth0]",
    "fe80::1%eth0",
    "1.2.3.4.5",
    "256.1.1.1",
    "a".repeat(300),
    "a\u0000b",
  ])
    assert.equal(canonicalHost(text), undefined, JSON.stringify(text));
});

test("patterns: a host, its subdomains, both, all, and wildcards inside", () => {
  const fits = (pattern: string, host: string): boolean => hostPattern(pattern)?.matches(host) ?? false;
  assert.ok(fits("Example.com.", "example.com") && !fits("example.com", "a.example.com"));
  assert.ok(fits("*.example.com", "a.b.example.com") && !fits("*.example.com", "example.com"));
  assert.ok(!fits("*.example.com", "notexample.com") && !fits("*.example.com", ".example.com"));
  assert.ok(fits("**.example.com", "example.com") && fits("**.example.com", "a.example.com") && !fits("**.example.com", "xexample.com"));
  assert.ok(fits("*", "anything") && fits("eu-*.example.com", "eu-1.example.com") && !fits("eu-*.example.com", "us-1.example.com"));
  assert.ok(fits("*.eu-?.example.com", "a.eu-1.example.com") && !fits("*.eu-?.example.com", "eu-1.example.com"));
  assert.ok(fits("127.0.0.1", canonicalHost("0x7f000001") ?? "") && fits("*.bücher.example", "a.xn--bcher-kva.example"));
  for (const none of ["", "example.com:443", "https://example.com", "*.*", "**.", "*.", "[ab].example.com", "{a,b}.example", "a/b"])
    assert.equal(hostPattern(none), undefined, none);
});

test("a list fits what one of its patterns fits", () => {
  const matches = hostMatcher(["a.example", "*.b.example", "no pattern"]);
  assert.deepEqual(["a.example", "x.b.example", "b.example", "no pattern"].map(matches), [true, true, false, false]);
});
