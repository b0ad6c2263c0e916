import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf } from "./addresses.ts";

const interfaces = {
  lo: [{ address: "127.0.0.1", family: "IPv4" as const, internal: true }],
  wlan: [
    { address: "192.168.1.20", family: "IPv4" as const, internal: false },
    { address: "fe80::1", family: "IPv6" as const, internal: false },
    { address: "2001:db8::5", family: "IPv6" as const, internal: false },
  ],
  odd: [{ address: "169.254.7.7", family: "IPv4" as const, internal: false }],
};
const listening = { host: "127.0.0.1", port: 4180, scheme: "http", names: [] as string[] };

test("a manager that only this machine reaches has its own address first, and a proxy's name after it", () => {
  assert.deepEqual(addressesOf(listening, interfaces), ["http://127.0.0.1:4180"]);
  assert.deepEqual(addressesOf({ ...listening, names: ["agents.example"] }, interfaces), [
    "http://127.0.0.1:4180",
    "http://agents.example:4180",
  ]);
});

test("one that listens everywhere is linked by its name and its address in the network", () => {
  const open = { ...listening, scheme: "https", host: "0.0.0.0" };
  assert.deepEqual(addressesOf(open, interfaces), ["https://192.168.1.20:4180", "https://127.0.0.1:4180"]);
  assert.deepEqual(addressesOf({ ...open, host: "::", names: ["box.lan"] }, interfaces), [
    "https://box.lan:4180",
    "https://192.168.1.20:4180",
    "https://[2001:db8::5]:4180",
    "https://127.0.0.1:4180",
  ]);
  assert.deepEqual(addressesOf({ ...open, host: "192.168.1.20" }, interfaces), ["https://192.168.1.20:4180"]);
});
