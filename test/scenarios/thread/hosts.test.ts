/** Profiles that list hosts: what commands reach through the proxy, what is asked, and what is remembered. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before } from "node:test";
import type { Client } from "../../../src/client/client.ts";
import { proxyPort } from "../../../src/exec/network/listener.ts";
import { noProtection } from "../../../src/exec/testing.ts";
import type { CommandExecutionRequestApprovalParams } from "../../../src/protocol/approval.ts";
import { type Stage, verifies } from "../../support/verifies.ts";
import { Cast, call, say } from "../agents/cast.ts";

const site = createServer((request, response) => response.end(`site ${request.url}\n`));
let port = 0;
before(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  port = (site.address() as AddressInfo).port;
});
after(() => {
  site.closeAllConnections();
  site.close();
});

const mounting = { skip: noProtection || undefined };
const profile = (more: string, approval = "on-request"): string => `default_permissions = "net"
approval_policy = "${approval}"
[permissions.net]
extends = ":workspace"
[permissions.net.network]
enabled = true
${more}
`;
/** Bash speaks to the proxy itself: no other program is needed. */
const fetching = (address: string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; printf 'GET ${address} HTTP/1.0\\r\\n\\r\\n' >&3; tail -n 1 <&3; echo; exec 3>&-`;
const local = (page: string, host = "127.0.0.1"): string => fetching(`http://${host}:${port}/${page}`);

/** A turn of the model that answers this message with a command. */
const saying = (text: string, line: string) => ({ user: `/^${text}$/`, steps: [{ run: line }, { say: "done" }] });

/** The output of the last turn's command, as clients and the model read it. */
async function output(client: Client, threadId: string): Promise<string> {
  const { turns } = (await client.call("thread/read", { threadId, includeTurns: true })).thread;
  const items = turns.at(-1)?.items ?? [];
  return items.flatMap((item) => (item.type === "commandExecution" ? [item.aggregatedOutput ?? ""] : [])).join("\n");
}

const auditOf = ({ home }: Stage): string =>
  globSync(path.join(home, "parley/audit/*.jsonl"))
    .map((file) => readFileSync(file, "utf8"))
    .join("");

verifies(
  "profile.hosts",
  async (stage) => {
    const line = `${local("allowed")}; ${fetching("http://sub.denied.example/")}; ${fetching("http://169.254.169.254/")}; (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo AROUND; echo [$HTTPS_PROXY]`;
    const config = profile(`domains = { "127.0.0.1" = "allow", "**.denied.example" = "deny", "*" = "allow" }`, "never");
    const client = await stage.app({ turns: [[{ run: line }, "done"]], config });
    const started = await client.call("thread/start", { cwd: stage.workspace });
    assert.equal("networkAccess" in started.sandbox && started.sandbox.networkAccess, false, "the policy alone gives no network");
    await (await client.resumeThread(started.thread.id)).run("go");
    const seen = await output(client, started.thread.id);
    assert.match(seen, /site \/allowed/);
    assert.match(seen, new RegExp(`\\[http://127.0.0.1:${proxyPort}\\]`));
    assert.match(seen, /"reason":"denied"[\s\S]*Network access to "sub.denied.example" was blocked: domain is explicitly denied/);
    assert.match(seen, /Network access to "169.254.169.254" was blocked: local\/private network addresses/);
    assert.doesNotMatch(seen, /AROUND/);
    const audit = auditOf(stage);
    assert.match(audit, new RegExp(`"network","subject":"http://127.0.0.1:${port}".*"allowedByPolicy","by":"net"`));
    assert.match(audit, /"network","subject":"http:\/\/sub.denied.example:80".*"refusedByPolicy","by":"denied"/);
    const exec = await client.call("command/exec", {
      command: ["/bin/bash", "-c", `${local("by-client")}; ${fetching("http://127.0.0.2/")}`],
      cwd: stage.workspace,
      permissionProfile: "net",
    });
    assert.match(exec.stdout, /site \/by-client/);
    assert.match(exec.stderr, /"127.0.0.2" was blocked/);
  },
  mounting,
);

verifies(
  "profile.hostsAsked",
  async (stage) => {
    const pages = ["once", "again", "session", "session-2"];
    const turns = pages.map((page) => saying(page, local(page)));
    const config = profile("domains = {}\nallow_local_binding = true");
    const client = await stage.app({ turns: [...turns, saying("no", `${local("no")}; echo went on`)], config });
    const asked: CommandExecutionRequestApprovalParams[] = [];
    const answers: unknown[] = ["accept", "accept", "acceptForSession"];
    client.answer("item/commandExecution/requestApproval", (params) => {
      asked.push(params);
      return { decision: (answers.shift() ?? "decline") as "accept" };
    });
    const { thread } = await client.call("thread/start", { cwd: stage.workspace });
    const live = await client.resumeThread(thread.id);
    for (const page of pages) {
      await live.run(page);
      assert.match(await output(client, thread.id), new RegExp(`site /${page}`), page);
    }
    assert.equal(asked.length, 3, "a yes for the session is not asked for again");
    const [first] = asked;
    const rule = (action: string) => ({ host: "127.0.0.1", action });
    assert.match(first?.itemId ?? "", new RegExp(`^network#local#http#127.0.0.1#${port}#`));
    assert.deepEqual(
      [first?.kind, first?.reason, first?.networkApprovalContext, first?.proposedNetworkPolicyAmendments, first?.availableDecisions],
      [
        "command",
        "Network access to 127.0.0.1 requires approval",
        { host: "127.0.0.1", protocol: "http" },
        [rule("allow"), rule("deny")],
        ["accept", "acceptForSession", { applyNetworkPolicyAmendment: { network_policy_amendment: rule("allow") } }, "decline", "cancel"],
      ],
    );
    const other = await client.call("thread/start", { cwd: stage.workspace });
    const second = await client.resumeThread(other.thread.id);
    await second.run("no");
    const refused = await output(client, other.thread.id);
    assert.match(refused, /went on[\s\S]*was blocked: the person does not want it to be reached/, "another session is asked for itself");
    const audit = auditOf(stage);
    for (const decision of ["accept", "acceptForSession", "decline"])
      assert.match(audit, new RegExp(`"network","subject":"http://127.0.0.1:${port}".*"decision":"${decision}"`));
  },
  mounting,
);

/** A SOCKS 5 request for 127.0.0.1, of which the first byte of the answer's second half is the outcome. */
const socks = (): string => {
  const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
  const target = [5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255].map(octal).join("");
  return `exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; printf '${[5, 1, 0].map(octal).join("")}${target}' >&3; head -c 4 <&3 | od -An -tu1; exec 3>&-`;
};

verifies(
  "profile.hostsReviewed",
  async (stage) => {
    const verdict = { risk_level: "low", user_authorization: "high", outcome: "deny", rationale: "BECAUSE" };
    await using cast = new Cast({
      '{"transcript":': [say(JSON.stringify(verdict))],
      GO: [call("exec_command", { cmd: socks() }), say("over")],
    });
    const config = `${profile("domains = {}\nallow_local_binding = true")}${await cast.config()}`;
    const client = await stage.app({ config });
    const asked: unknown[] = [];
    client.on("item/autoApprovalReview/completed", ({ action }) => asked.push(action));
    client.answer("item/commandExecution/requestApproval", ({ networkApprovalContext }) => {
      asked.push(networkApprovalContext);
      return { decision: "decline" };
    });
    const settings = { modelProvider: "mock", model: "mock-model", approvalsReviewer: "auto_review" } as const;
    const thread = await client.startThread({ cwd: stage.workspace, ...settings });
    await thread.run("GO");
    const target = `socks5-tcp://127.0.0.1:${port}`;
    assert.deepEqual(asked, [
      { type: "networkAccess", target, host: "127.0.0.1", protocol: "socks5Tcp", port },
      { host: "127.0.0.1", protocol: "socks5Tcp" },
    ]);
    assert.match(await output(client, thread.id), /^ +5 +0 +5 +2/m, "not allowed");
  },
  mounting,
);

verifies(
  "profile.hostsRemembered",
  async (stage) => {
    const pages = ["allow", "deny", "wrong", "after"];
    const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.2"];
    const turns = pages.map((page, i) => saying(page, local(page, hosts[i])));
    const config = profile("domains = {}\nallow_local_binding = true");
    const client = await stage.app({ turns: [...turns, saying("kept", `${local("kept")}; ${local("kept-2", "127.0.0.2")}`)], config });
    const rule = (host: string, action: "allow" | "deny") => ({
      applyNetworkPolicyAmendment: { network_policy_amendment: { host, action } },
    });
    const answers = [rule("127.0.0.1", "allow"), rule("127.0.0.2", "deny"), rule("elsewhere.example", "allow")];
    client.answer("item/commandExecution/requestApproval", () => ({ decision: answers.shift() ?? ("cancel" as const) }));
    const { thread } = await client.call("thread/start", { cwd: stage.workspace });
    const live = await client.resumeThread(thread.id);
    const seen: string[] = [];
    for (const page of pages) {
      await live.run(page);
      seen.push(await output(client, thread.id));
    }
    assert.match(seen[0] ?? "", /site \/allow/);
    assert.match(seen[1] ?? "", /the person does not want/);
    assert.match(seen[2] ?? "", /the person does not want/, "a rule for another host is a no");
    assert.match(seen[3] ?? "", /"127.0.0.2" was blocked: domain is explicitly denied/, "and nobody is asked any more");
    const file = path.join(stage.home, "rules/default.rules");
    assert.ok(existsSync(file));
    assert.equal(
      readFileSync(file, "utf8"),
      [
        `network_rule(host="127.0.0.1", protocol="http", decision="allow", justification="Allow http access to 127.0.0.1")`,
        `network_rule(host="127.0.0.2", protocol="http", decision="deny", justification="Deny http access to 127.0.0.2")`,
        "",
      ].join("\n"),
    );
    await stage.restart();
    const next = await stage.app();
    const again = await next.call("thread/start", { cwd: stage.workspace, approvalPolicy: "never" });
    await (await next.resumeThread(again.thread.id)).run("kept");
    const kept = await output(next, again.thread.id);
    assert.match(kept, /site \/kept/);
    assert.match(kept, /"127.0.0.2" was blocked/);
    assert.match(auditOf(stage), /"allowedByRule","by":"[^"]*default\.rules/);
  },
  mounting,
);

verifies(
  "profile.hostsUnasked",
  async (stage) => {
    const listed = '{ "allowed.invalid" = "allow", "denied.invalid" = "deny" }';
    const config = profile(`domains = ${listed}\nallow_local_binding = true`, "never");
    const page = (host: string) => ({ call: "web_fetch", with: { url: `https://${host}/` } });
    const pages = [
      ...[page("allowed.invalid"), { expect: { output: "/web_fetch: allowed\\.invalid/" } }],
      ...[page("denied.invalid"), { expect: { output: "/may not reach denied\\.invalid/" } }],
      ...[page("other.invalid"), { expect: { output: "/allows no questions/" } }, { say: "read" }],
    ];
    const turns = [
      { user: "/^pages$/", steps: pages },
      saying("never", local("never")),
      saying("stop", `${local("stopped")}; echo NEVER-PRINTED`),
    ];
    const client = await stage.app({ turns, config });
    let asked = 0;
    client.answer("item/commandExecution/requestApproval", () => {
      asked++;
      return { decision: "cancel" };
    });
    const { thread } = await client.call("thread/start", { cwd: stage.workspace });
    const live = await client.resumeThread(thread.id);
    await live.run("never");
    assert.match(await output(client, thread.id), /was blocked: the approval policy allows no questions/);
    const read = await live.run("pages");
    assert.deepEqual([read.text, asked], ["read", 0], "pages are read under the same rules");
    await client.call("thread/settings/update", { threadId: thread.id, approvalPolicy: "on-request" });
    const turn = await live.run("stop");
    assert.equal(turn.status, "interrupted");
    assert.equal(asked, 1);
    assert.doesNotMatch(await output(client, thread.id), /NEVER-PRINTED/);
  },
  mounting,
);

verifies(
  "profile.hostsAfterwards",
  async (stage) => {
    const line = `until [ -e go ]; do read -t 0.05 <> <(:); done; ${local("late")}`;
    const steps = [{ run: line, with: { yield_time_ms: 250 } }, { say: "done" }];
    const client = await stage.app({ turns: [{ user: "/^start$/", steps }], config: profile("domains = {}\nallow_local_binding = true") });
    client.answer("item/commandExecution/requestApproval", () => assert.fail("nobody is asked about a turn that is over"));
    const ended = Promise.withResolvers<string>();
    client.on("item/completed", ({ item }) => {
      if (item.type === "commandExecution") ended.resolve(item.aggregatedOutput ?? "");
    });
    const { thread } = await client.call("thread/start", { cwd: stage.workspace });
    await (await client.resumeThread(thread.id)).run("start");
    writeFileSync(path.join(stage.workspace, "go"), "");
    assert.match(await ended.promise, /was blocked: the turn that started the command has ended, so nobody could be asked/);
  },
  mounting,
);

verifies(
  "profile.hostsGeneral",
  async (stage) => {
    const config = `sandbox_mode = "workspace-write"
approval_policy = "never"
[sandbox_workspace_write]
network_access = true
[features.network_proxy]
enabled = true
domains = { "127.0.0.1" = "allow" }
`;
    const line = `${local("mode")}; ${fetching("http://other.invalid/")}; (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo AROUND`;
    const client = await stage.app({ turns: [saying("go", line)], config });
    const { thread } = await client.call("thread/start", { cwd: stage.workspace });
    await (await client.resumeThread(thread.id)).run("go");
    const seen = await output(client, thread.id);
    assert.match(seen, /site \/mode/);
    assert.match(seen, /"http:\/\/other.invalid:80" was blocked/);
    assert.doesNotMatch(seen, /AROUND/);
  },
  mounting,
);

verifies(
  "profile.hostsManaged",
  async (stage) => {
    const required = `[experimental_network]
enabled = true
managed_allowed_domains_only = true
[experimental_network.domains]
"127.0.0.1" = "allow"
"**.bad.example" = "deny"
`;
    writeFileSync(path.join(stage.systemDir, "requirements.toml"), required);
    const line = `${local("managed")}; ${fetching("http://mine.example/")}; ${fetching("http://x.bad.example/")}`;
    const config = `${profile(`domains = { "mine.example" = "allow", "x.bad.example" = "allow" }`)}[sandbox_workspace_write]\nnetwork_access = true\n`;
    const client = await stage.app({ turns: [saying("go", line)], config });
    client.answer("item/commandExecution/requestApproval", () => ({ decision: "accept" }));
    for (const sandbox of [{}, { sandbox: "workspace-write" as const }]) {
      const { thread } = await client.call("thread/start", { cwd: stage.workspace, ...sandbox });
      await (await client.resumeThread(thread.id)).run("go");
      const seen = await output(client, thread.id);
      assert.match(seen, /site \/managed/);
      assert.match(seen, /"mine.example" was blocked: domain is not on the allowlist/);
      assert.match(seen, /"x.bad.example" was blocked: domain is explicitly denied/);
    }
    const { requirements } = await client.call("configRequirements/read", {});
    assert.deepEqual(requirements?.network, {
      ...{ enabled: true, httpPort: null, socksPort: null, allowUpstreamProxy: null, dangerouslyAllowNonLoopbackProxy: null },
      ...{ dangerouslyAllowAllUnixSockets: null, reviewDomains: null, managedAllowedDomainsOnly: true, allowLocalBinding: null },
      domains: { "127.0.0.1": "allow", "**.bad.example": "deny" },
      ...{ allowedDomains: ["127.0.0.1"], deniedDomains: ["**.bad.example"], unixSockets: null, allowUnixSockets: null },
    });
  },
  { ...mounting, legs: ["memory"] },
);
