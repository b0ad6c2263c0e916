/** Commands whose sandbox reaches only some hosts, in every engine: the proxy is their whole network. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { type Bench, openBench, testedEngines } from "../testing.ts";
import { proxyPort } from "./listener.ts";
import { recordedNetwork } from "./testing.ts";

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

/** Bash speaks to the proxy itself: the test needs no other program. */
const fetching = (address: string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; printf 'GET ${address} HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3; exec 3>&-`;
const ok = { allow: ["127.0.0.1"] };

const engines = await testedEngines();
/** Floods are the same in every engine. */
const flooded = engines.find(({ skip, mounts }) => mounts && skip === false);

for (const { engine, skip, mounts } of engines)
  describe(`a network of some hosts: ${engine}`, { skip: skip || undefined }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    if (!mounts) {
      test("is told to be impossible, and the command runs without any", async () => {
        const network = recordedNetwork(ok);
        const { output } = await bench.sh(`env | grep -i proxy; ${fetching(`http://127.0.0.1:${port}/`)}`, { network });
        assert.doesNotMatch(output, /site|PROXY/);
        assert.match(network.unavailableFor.join(), /Landlock.*no network of their own/);
      });
      return;
    }

    test("reaches what is allowed, and hears in its output what was not", async () => {
      const network = recordedNetwork({ ...ok, deny: ["denied.example"] });
      const line = `echo $HTTP_PROXY $ALL_PROXY [$NO_PROXY] [$CODEX_SANDBOX_NETWORK_DISABLED]; ${fetching(`http://127.0.0.1:${port}/a`)}; ${fetching("http://denied.example/")}`;
      const { output, exitCode } = await bench.sh(line, { network });
      assert.equal(exitCode, 0, output);
      assert.match(output, new RegExp(`^http://127.0.0.1:${proxyPort} socks5h://127.0.0.1:${proxyPort} \\[localhost,::1\\] \\[\\]`));
      assert.match(output, /site \/a/);
      assert.match(
        output,
        /403 Forbidden[\s\S]*\nNetwork access to "denied.example" was blocked: domain is explicitly denied by policy[^\n]*\n$/,
      );
    });

    test("has no other network, and no trace of the way in", async () => {
      const lines = [
        `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo REACHED-HOST`,
        "(exec 3<>/dev/tcp/192.0.2.1/80) && echo REACHED-OUT",
        "(exec 3<>/dev/udp/192.0.2.1/53) && echo REACHED-UDP",
        "grep -v '|' /proc/net/dev | grep -v ' lo:' && echo REACHED-DEVICE",
        "env | grep -i 'node_channel\\|parley' | grep -v PARLEY_COMMAND; ls -l /proc/self/fd /proc/1/fd",
        "for fd in 3 4 5 6 7 8; do (echo x >&$fd) && echo WROTE-$fd; done",
      ];
      const { output } = await bench.sh(`{ ${lines.join("; ")}; } 2>/dev/null; true`, { network: recordedNetwork(ok) });
      assert.doesNotMatch(output, /REACHED|NODE_CHANNEL|WROTE/, output);
    });

    test("with a terminal, in the background, one after another, and twice at a time", async () => {
      const run = async (tag: string): Promise<void> => {
        const network = recordedNetwork(ok);
        const { output } = await bench.sh(fetching(`http://127.0.0.1:${port}/${tag}`), { network, tty: { cols: 80, rows: 24 } });
        assert.match(output, new RegExp(`site /${tag}`));
      };
      await Promise.all(["one", "two", "three"].map(run));
      await run("four");
      const without = await bench.sh(`(exec 3<>/dev/tcp/127.0.0.1/${proxyPort}) 2>/dev/null && echo OPEN; echo $HTTP_PROXY`);
      assert.equal(without.output, "\n", "another command has no proxy");
    });

    test("each asks for itself, and nothing of it outlives it", async () => {
      const asked = Promise.withResolvers<AbortSignal>();
      const network = recordedNetwork({}, async (_, signal) => {
        asked.resolve(signal);
        await once(signal, "abort");
        return "ended";
      });
      const running = await bench.start(["/bin/bash", "-c", fetching("http://unknown.example/")], { network });
      const signal = await asked.promise;
      await running.kill();
      assert.ok(signal.aborted);
      assert.deepEqual(network.asked, ["http://unknown.example:80"]);
    });

    if (engine !== flooded?.engine) return;
    test("ten thousand connections leave the server as it was", async () => {
      const flood = `for i in $(seq 10000); do { exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; } 2>/dev/null; done; exec 3>&-`;
      const { output } = await bench.sh(`${flood}; ${fetching(`http://127.0.0.1:${port}/still`)}`, { network: recordedNetwork(ok) });
      assert.match(output, /site \/still/);
    });
  });
