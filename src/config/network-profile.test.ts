/** The network part of permission profiles, and the administrator's rules over it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseToml, type TomlTable } from "../lib/toml.ts";
import type { NetworkRequirements } from "../protocol/config-requirements.ts";
import {
  generalNetwork,
  managedRules,
  networkOf,
  openNetworkOf,
  type ProfileNetwork,
  shownNetwork,
  underManaged,
  unenforcedNetwork,
} from "./network-profile.ts";

function read(text: string, general?: TomlTable): ProfileNetwork & { readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  return { ...networkOf("p", parseToml(text), { warnings, general }), warnings };
}

const standard = { allow: [], deny: [], mode: "full", allowsLocal: false, usesUpstream: true, hasSocks: true, isClosed: false };

describe("the network of a profile", () => {
  it("is none, every host, or a list of hosts", () => {
    assert.deepEqual(read(""), { network: false, networkRules: undefined, warnings: [] });
    assert.deepEqual(read('enabled = true\nmode = "full"'), { network: true, networkRules: undefined, warnings: [] });
    assert.deepEqual(read("enabled = true", {}).networkRules, standard, "features.network_proxy filters every profile");
    const listed = 'enabled = true\ndomains = { "A.example." = "allow", "*.b.example" = "allow", "127.1" = "deny" }';
    assert.deepEqual(read(listed), {
      ...{ network: false, warnings: [] },
      networkRules: { ...standard, allow: ["a.example", "*.b.example"], deny: ["127.0.0.1"] },
    });
    const all = "enabled = true\nallow_local_binding = true\nallow_upstream_proxy = false\nenable_socks5 = false";
    assert.deepEqual(read(all).networkRules, { ...standard, allowsLocal: true, usesUpstream: false, hasSocks: false });
  });

  it("has what features.network_proxy says for every network, which its own keys win over", () => {
    const raw = parseToml(
      '[features.network_proxy]\nenabled = true\nmode = "limited"\ndomains = { "a.example" = "allow", "b.example" = "allow" }\n',
    );
    const general = generalNetwork(raw);
    const own = read('enabled = true\nmode = "full"\ndomains = { "b.example" = "deny" }', general).networkRules;
    assert.deepEqual([own?.allow, own?.deny, own?.mode], [["a.example"], ["b.example"], "full"]);
    const { rules, warnings } = openNetworkOf(raw);
    assert.deepEqual([rules?.allow, rules?.mode], [["a.example", "b.example"], "limited"]);
    assert.match(warnings.join(), /features.network_proxy.mode: "limited"/);
    assert.deepEqual(
      read("", general),
      { network: false, networkRules: undefined, warnings: [] },
      "a profile without a network stays without",
    );
    for (const off of ["", "features.network_proxy = false", "features.network_proxy = { enabled = false, mode = 'limited' }"])
      assert.deepEqual([generalNetwork(parseToml(off)), openNetworkOf(parseToml(off)).rules], [undefined, undefined]);
    assert.throws(
      () => openNetworkOf(parseToml('features.network_proxy = { domains = { "a b" = "allow" } }')),
      /features.network_proxy.domains: "a b"/,
    );
  });

  it("says what has no effect, and why", () => {
    assert.match(read('domains = { "a.example" = "allow" }').warnings.join(), /network: domains has no effect without `enabled = true`/);
    const odd =
      'enabled = true\nproxy_url = "http://127.0.0.1:1"\nmode = "limited"\nunix_sockets = { "/a" = "allow" }\nmitm = { hooks = {} }';
    const warnings = read(odd).warnings.join("\n");
    for (const expected of [
      /proxy_url has no effect: the proxy listens/,
      /"limited" allows only plain HTTP/,
      /unix_sockets has no effect/,
      /mitm has no/,
    ])
      assert.match(warnings, expected);
    assert.deepEqual(read('enabled = true\nunix_sockets = { "/a" = "deny" }').warnings, []);
  });

  it("is refused with the field and the fix where it cannot be meant", () => {
    for (const [text, expected] of [
      ['domains = { "https://a.example" = "allow" }', /permissions.p.network.domains: "https:\/\/a.example" is no host; give a name/],
      ['domains = { "a.example:443" = "allow" }', /is no host/],
      ['domains = { "a.example" = "maybe" }', /domains."a.example": give "allow" or "deny"/],
      ['domains = { "*" = "deny" }', /unsupported global wildcard domain pattern "\*"/],
      ['domains = ["a.example"]', /domains: give a table of hosts/],
      ['mode = "half"', /mode: give "full" or "limited"/],
    ] as const)
      assert.throws(() => read(`enabled = true\n${text}`), expected);
    const many = Array.from({ length: 5001 }, (_, i) => `"h${i}.example" = "allow"`).join("\n");
    assert.throws(() => read(`enabled = true\n[domains]\n${many}`), /5001 hosts; at most 5000/);
  });
});

describe("the administrator's network", () => {
  const required = (text: string): NetworkRequirements => shownNetwork(parseToml(text)) as NetworkRequirements;
  const listing = 'enabled = true\n[domains]\n"ok.example" = "allow"\n"bad.example" = "deny"\n';

  it("is shown with both forms of its lists", () => {
    const shown = required(listing);
    assert.deepEqual([shown.allowedDomains, shown.deniedDomains, shown.httpPort], [["ok.example"], ["bad.example"], null]);
    const older = required('enabled = true\nallowed_domains = ["a.example"]\ndenied_domains = ["b.example"]\nhttp_port = 1\n');
    assert.deepEqual([older.domains, older.httpPort], [{ "a.example": "allow", "b.example": "deny" }, 1]);
    assert.match(unenforcedNetwork(older, "r.toml").join(), /experimental_network.http_port` has no effect/);
  });

  it("adds to a profile, wins over it, and closes the list where it says so", () => {
    const own = read('enabled = true\nmode = "limited"\ndomains = { "mine.example" = "allow", "bad.example" = "allow" }');
    const under = (text: string, profile: ProfileNetwork) => {
      const values = required(text);
      return underManaged(profile, managedRules(values, "r.toml"), values).networkRules;
    };
    const added = under(listing, own);
    assert.deepEqual([added?.allow, added?.deny, added?.mode], [["ok.example", "mine.example", "bad.example"], ["bad.example"], "limited"]);
    const closed = under(`managed_allowed_domains_only = true\nallow_local_binding = false\n${listing}`, own);
    assert.deepEqual([closed?.allow, closed?.isClosed], [["ok.example"], true]);
    assert.deepEqual(under(listing, { network: true, networkRules: undefined })?.allow, ["ok.example"], "an open network is filtered too");
    assert.equal(under(listing, { network: false, networkRules: undefined }), undefined, "and none stays none");
    assert.deepEqual(under(listing.replace("true", "false"), own), own.networkRules, "rules that are off change nothing");
    assert.throws(() => under('enabled = true\n[domains]\n"a b" = "allow"\n', own), /r.toml.domains: "a b" is no host/);
  });
});
