/** Packages are fetched from a registry with the system's npm, none of their scripts run, and no archive writes outside its folder. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { atEnd, deletedWith } from "../../test/support/ending.ts";
import { findSystemProgram } from "../lib/program.ts";
import { fetchPackage } from "./npm-copy.ts";
import { unpackArchive } from "./unpack.ts";

interface Entry {
  readonly name: string;
  readonly text?: string;
  readonly kind?: string;
  readonly mode?: number;
}

function tar(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap(({ name, text = "", kind = "0", mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
    header.write(`${Buffer.byteLength(text).toString(8).padStart(11, "0")}\0`, 124);
    header.write("        ", 148);
    header.write(kind, 156);
    header.write("ustar\u000000", 257);
    header.write(
      `${[...header]
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
    );
    const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

function room(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "npm-copy-"));
  deletedWith(t, folder);
  return folder;
}

/** A registry with one package. */
async function registry(t: TestContext, name: string, archive: Buffer): Promise<string> {
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    if (request.url?.endsWith(".tgz") === true) return void response.end(archive);
    if (decodeURIComponent(request.url ?? "") !== `/${name}`) return void response.writeHead(404).end("{}");
    const version = { name, version: "2.0.0", dist: { tarball: `http://127.0.0.1:${port}/p.tgz`, integrity } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: "2.0.0" }, versions: { "2.0.0": version } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const npm = findSystemProgram("npm");

test("a package of the configured registry is unpacked, and nothing of it is run", { skip: npm === undefined }, async (t) => {
  const folder = room(t);
  const scripts = Object.fromEntries(
    ["preinstall", "install", "postinstall", "prepare", "prepack"].map((on) => [on, `touch ${folder}/ran`]),
  );
  const archive = tar([
    { name: "package/package.json", text: JSON.stringify({ name: "@acme/plug", version: "2.0.0", scripts }) },
    { name: "package/.codex-plugin/plugin.json", text: '{"name":"plug"}' },
    { name: "package/run.sh", text: "true", mode: 0o755 },
  ]);
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeFileSync(path.join(home, ".npmrc"), `registry=${await registry(t, "@acme/plug", archive)}\n`);
  const options = { program: () => npm, env: { PATH: process.env["PATH"], HOME: home } };
  const wanted = { package: "@acme/plug", version: null, registry: null };
  const root = await fetchPackage(wanted, folder, options);
  assert.deepEqual(readdirSync(root).sort(), [".codex-plugin", "package.json", "run.sh"]);
  assert.equal(statSync(path.join(root, "run.sh")).mode & 0o777, 0o755);
  assert.ok(!existsSync(path.join(folder, "ran")));
  const other = room(t);
  await assert.rejects(fetchPackage({ ...wanted, package: "none" }, other, options), /npm pack failed: .*404/s);
  await assert.rejects(
    fetchPackage(wanted, room(t), { ...options, program: () => undefined }),
    /npm is not installed, which this source needs/,
  );
});

test("archives with paths outside, truncated or oversized archives are refused, and links are left out", (t) => {
  const folder = path.join(room(t), "in");
  const unpack = (entries: readonly Entry[], limits?: { entries: number; bytes: number }) => () =>
    unpackArchive(tar(entries), folder, limits);
  for (const name of ["../out", "package/../../out", "/abs", "package\\out", "package/a\0b/../../../out"].filter((n) => !n.includes("\0")))
    assert.throws(unpack([{ name, text: "x" }]), /leads out of it/, name);
  assert.throws(
    unpack([
      { name: "pax", kind: "x", text: "15 path=../out\n" },
      { name: "package/a", text: "x" },
    ]),
    /leads out of it/,
  );
  assert.throws(unpack([{ name: "a/".repeat(45), kind: "5" }]), /more than 32 deep/);
  assert.throws(unpack([{ name: "a" }, { name: "b" }, { name: "c" }], { entries: 2, bytes: 10_000 }), /more than 2 entries/);
  assert.throws(unpack([{ name: "a", text: "x".repeat(9000) }], { entries: 2, bytes: 100 }), /more than 100 bytes/);
  assert.throws(() => unpackArchive(Buffer.from("no archive"), folder), /not a gzip file/);
  assert.throws(() => unpackArchive(gzipSync(Buffer.alloc(600, 65)), folder), /damaged/);
  unpack([
    { name: "package/link", kind: "2" },
    { name: "long", kind: "L", text: `package/${"n".repeat(120)}\0` },
    { name: "package/cut", text: "long name" },
    { name: "pax", kind: "x", text: "20 path=package/pä\n" },
    { name: "package/x", text: "pax name" },
  ])();
  assert.deepEqual(readdirSync(path.join(folder, "package")).sort(), ["n".repeat(120), "pä"]);
  assert.equal(readFileSync(path.join(folder, "package", "pä"), "utf8"), "pax name");
  assert.ok(!existsSync(path.join(folder, "..", "out")));
});
