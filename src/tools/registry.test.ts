import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { createConfigStore } from "../config/load.ts";
import type { Offer, Tool } from "../core/ports/tool.ts";
import { createModelCatalog } from "../models/catalog.ts";
import { builtInProvider } from "../models/providers.ts";
import { builtInTools } from "./registry.ts";

const home = mkdtempSync(path.join(tmpdir(), "parley-tools-"));
const model = createModelCatalog({ sources: () => [], available: () => true, defaultModel: () => undefined }).find("nobody-knows");

/** The tools offered to a model under these settings. */
async function offered(settings: string): Promise<Map<string, Tool>> {
  const tools = await accepted(settings)();
  return new Map(tools.filter((tool) => tool.silent !== true).map((tool) => [tool.name, tool]));
}

/** All tools for each request under these settings, with those that are not offered. */
function accepted(settings: string): () => Promise<readonly Tool[]> {
  writeFileSync(path.join(home, "config.toml"), settings);
  const scripted = builtInProvider("scripted", {});
  const builtInProviders = scripted === undefined ? {} : { scripted };
  const config = createConfigStore({ codexHome: home, env: {}, systemDir: path.join(home, "etc"), builtInProviders }).effective(home);
  const offer = {
    threadId: "T",
    config,
    model,
    interactive: true,
    settings: { mode: "default", sandboxPolicy: { type: "readOnly" }, approvalPolicy: "on-request" },
  } as unknown as Offer;
  const source = builtInTools({
    version: "0",
    env: {},
    shellPath: () => "/bin/sh",
    imageDataUrl: async () => "",
    fittedDataUrl: async (url) => url,
  });
  return async () => source.tools(offer, AbortSignal.timeout(60_000));
}

describe("the built-in tools", () => {
  after(() => rmSync(home, { recursive: true, force: true }));

  it("are the same for each request, so that their schemas need to be written only once", async () => {
    const tools = accepted("");
    const [first, second] = [await tools(), await tools()];
    assert.ok(first.some((tool) => tool.silent === true));
    assert.deepEqual([second.length, second.filter((tool, i) => tool !== first[i]).map((tool) => tool.name)], [first.length, []]);
  });

  it("each tool can be disabled", async () => {
    const all = await offered("");
    for (const [line, names] of [
      ["include_plan_tool = false", ["update_plan"]],
      ["[tools.update_plan]\nenabled = false", ["update_plan"]],
      ["[tools]\nview_image = false", ["view_image"]],
      ["[tools]\nweb_fetch = false", ["web_fetch"]],
      ["[tools.read_document]\nenabled = false", ["read_document"]],
      ["[tools.experimental_request_user_input]\nenabled = false", ["request_user_input"]],
      ["[features]\nunified_exec = false", ["exec_command", "write_stdin"]],
    ] as const) {
      const left = await offered(line);
      for (const name of names) assert.deepEqual([all.has(name), left.has(name)], [true, false], `${name} under ${line}`);
    }
  });

  it("one way to run commands and one to edit is offered, depending on the model", async () => {
    const names = async (settings: string): Promise<string[]> => [...(await offered(settings)).keys()];
    const shells = (all: readonly string[]): string[] => all.filter((name) => /shell|exec_command|write_stdin/.test(name));
    const edits = (all: readonly string[]): string[] => all.filter((name) => /patch|edit|write$/.test(name));
    assert.deepEqual(shells(await names("")), ["exec_command", "write_stdin"]);
    assert.deepEqual(shells(await names("model_context_window = 32000")), ["shell_command"]);
    assert.deepEqual(shells(await names("[features]\nunified_exec = false")), ["shell_command"]);
    assert.deepEqual(edits(await names("")), ["edit", "write"]);
    assert.deepEqual(edits(await names("[features]\napply_patch_freeform = true")), ["apply_patch"]);
  });

  it("questions are offered where they work", async () => {
    const asks = async (settings: string): Promise<boolean> => (await offered(settings)).has("request_user_input");
    assert.equal(await asks(""), true);
    assert.equal(await asks("[features]\ndefault_mode_request_user_input = false"), false);
  });

  it("the schema of a tool's arguments for the model is never written by hand", () => {
    const folder = import.meta.dirname;
    const isOwn = (file: string): boolean => !/\.test\.ts$|^(?:define|dynamic-tool)\.ts$/.test(file);
    const byHand = readdirSync(folder).filter(
      (file) =>
        file.endsWith(".ts") &&
        isOwn(file) &&
        /\bparameters\s*[:(]|additionalProperties/.test(readFileSync(path.join(folder, file), "utf8")),
    );
    assert.deepEqual(byHand, [], "derive it from the schema that checks the arguments: functionTool in define.ts");
  });

  it("the search is offered as the settings describe it", async () => {
    assert.ok(!(await offered("")).has("web_search"));
    const { face } = (
      await offered(
        'web_search = "live"\n[tools.web_search]\ncontext_size = "low"\nallowed_domains = ["example.org"]\n[tools.web_search.location]\ncountry = "CH"\n',
      )
    ).get("web_search") as Tool;
    assert.deepEqual(face, {
      type: "web_search",
      options: {
        external_web_access: true,
        search_context_size: "low",
        filters: { allowed_domains: ["example.org"] },
        user_location: { type: "approximate", country: "CH" },
      },
    });
  });
});
