/** Starting work: in an existing folder, with a working key, and with a plan if wanted. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { chatFrames } from "../support/model-mocks/frames.ts";
import { checkAccessibility, picture } from "./page.ts";
import { composer, idle, Stage, send } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: think first
    steps:
      - ask: "Which way?"
        options: [Left, Right]
      - say: "You said {{output}}\\n<proposed_plan>\\n1. Turn that way.\\n</proposed_plan>\\n"
  - user: Carry out the plan
    steps:
      - say: "Carried out."
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;
const goodKey = "sk-a-key-that-works";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("beginning", skip, () => {
  let stage: Stage;
  let page: Page;
  let provider: http.Server;

  before(async () => {
    provider = http.createServer((request, response) => {
      const isKnown = request.headers.authorization === `Bearer ${goodKey}`;
      response.writeHead(isKnown ? 200 : 401, { "content-type": isKnown ? "text/event-stream" : "application/json" });
      response.end(
        isKnown ? chatFrames({ text: "At your service" }).join("") : JSON.stringify({ error: { message: "Incorrect API key provided" } }),
      );
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const { port } = provider.address() as AddressInfo;
    // Questions are only asked in plan mode here, so a question shows the mode.
    const config = `features.default_mode_request_user_input = false\n[model_providers.house]\nname = "House"\nbase_url = "http://127.0.0.1:${port}/v1"\nwire_api = "chat"\nenv_key = "HOUSE_KEY"\nrequest_max_retries = 0\noptions = { models = ["house-model"] }\n`;
    stage = await Stage.open(scenario, config, { offlineTour: true });
    page = await stage.newPage();
  });
  after(async () => {
    await stage.close();
    await new Promise((resolve) => provider.close(resolve));
  });

  test("in plan mode it may ask, makes a plan, and carries it out on a click", async () => {
    await stage.home(page);
    const plan = page.getByRole("button", { name: "Plan first" });
    await plan.click();
    assert.equal(await plan.getAttribute("aria-pressed"), "true");
    await send(page, "think first");
    await page.getByText("Which way?").first().waitFor();
    await page.getByRole("radio", { name: "Right" }).click();
    await page.getByRole("button", { name: "Send answer" }).click();
    await page.getByText("Turn that way.").waitFor();
    assert.equal(await plan.getAttribute("aria-pressed"), "true", "the session's own switch shows the mode");
    await picture(page, "starting-plan");
    await checkAccessibility(page, "a plan that can be carried out");
    await page.getByRole("button", { name: "Carry out this plan" }).click();
    await page.getByText("Carried out.").waitFor();
    await idle(page);
    assert.equal(await plan.getAttribute("aria-pressed"), "false");
    await send(page, "/plan");
    await page.getByRole("button", { name: "Plan first", pressed: true }).waitFor();
  });

  test("without plan mode it works at once, and the switch is off", async () => {
    await stage.begin(page, "think first");
    await page.getByText("unavailable in Default mode").waitFor();
    await idle(page);
  });

  test("a folder that does not exist starts nothing; it can be made", async () => {
    await stage.home(page);
    const missing = path.join(stage.workspace, "not/there yet");
    const before = (await stage.manager.backend.link.call("thread/loaded/list", {})).data.length;
    await page.getByRole("button", { name: /^Folder/ }).click();
    await page.getByRole("option", { name: "Another folder…" }).click();
    const field = page.getByLabel("Folder on the machine that runs the engine");
    await field.fill(missing);
    await send(page, "hello there");
    await page.getByText(`There is no folder ${missing}`).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await composer(page).inputValue(), "hello there", "the text is still there");
    assert.equal((await stage.manager.backend.link.call("thread/loaded/list", {})).data.length, before);
    await picture(page, "starting-no-folder");
    await checkAccessibility(page, "a folder that does not exist");
    await page.getByRole("button", { name: "Create this folder" }).click();
    await page.keyboard.press("Enter");
    await page.getByText("Heard: hello there").waitFor();
    assert.ok(existsSync(missing));
    await stage.home(page);
    await page.getByRole("button", { name: /^Folder/ }).click();
    await page.getByRole("option", { name: "Another folder…" }).click();
    await field.fill(path.join(stage.workspace, "../home/config.toml"));
    await send(page, "hello");
    await page.getByText("is not a folder").waitFor();
    assert.equal(await page.getByRole("button", { name: "Create this folder" }).count(), 0);
    await composer(page).fill("");
  });

  test("a model of any provider is set up: with a working key, with one stored despite a failed check, or without one", async () => {
    await page.goto(`${stage.url}/settings/account`);
    const form = page.getByRole("region", { name: "Set up a model" });
    const picker = form.getByRole("button", { name: /^Provider/ });
    await picker.click();
    const listed = (await page.getByRole("option").allTextContents()).join("\n");
    for (const name of ["OpenAI", "Anthropic", "Gemini", "OpenRouter", "Groq", "Mistral", "DeepSeek", "xAI", "Together", "Fireworks"])
      assert.match(listed, new RegExp(name, "i"));
    for (const name of ["Cerebras", "Moonshot", "Z.ai", "Ollama", "LM Studio", "llama.cpp", "vLLM", "House"])
      assert.match(listed, new RegExp(name, "i"));
    assert.match(listed, /Ollama.*Not running on the engine's machine/, "local servers are looked for");
    await picture(page, "starting-providers");
    await page.getByRole("option", { name: /^Ollama/ }).click();
    await form.getByRole("button", { name: /^Use .*Ollama/i }).waitFor();
    assert.equal(await form.getByLabel(/API key/).count(), 0, "a server on this machine needs no key");
    await picker.click();
    await page.getByRole("option", { name: /^House/ }).click();
    const field = form.getByLabel("House API key");
    assert.equal(await form.getByLabel("Model").inputValue(), "house-model");
    await field.fill("sk-mistyped");
    await page.keyboard.press("Enter");
    await form.getByText(/House did not answer as house-model: .*Incorrect API key provided/).waitFor();
    const kept = path.join(stage.workspace, "../home/parley/keys.json");
    assert.equal(existsSync(kept), false);
    assert.equal(await field.inputValue(), "sk-mistyped");
    await picture(page, "starting-bad-key");
    await checkAccessibility(page, "a key that was refused");
    await form.getByRole("button", { name: "Keep it anyway" }).click();
    await page.getByRole("status").getByText("The key is kept. New sessions use house-model.").waitFor();
    assert.match(readFileSync(kept, "utf8"), /sk-mistyped/);
    await field.fill(goodKey);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("It works and is kept. New sessions use house-model.").waitFor();
    assert.match(readFileSync(kept, "utf8"), new RegExp(goodKey));
    assert.equal(await field.inputValue(), "");
    await stage.begin(page, "hello");
    await page.getByText("At your service").waitFor();
  });
});
