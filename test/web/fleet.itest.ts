/** The page of a fleet: a browser over a real manager, front, workers and PostgreSQL. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { FleetStage } from "../fleet/stage.ts";
import { atEnd } from "../support/ending.ts";
import { noPostgres } from "../support/postgres.ts";
import { checkAccessibility, openBrowser, patienceMs, picture, watchConsole } from "./page.ts";
import { sizes } from "./stage.ts";

const noChromium = existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine";

test("the page shows a fleet's workers, says who is lost, and lets one leave", { skip: noPostgres || noChromium }, async (t) => {
  const stage = await FleetStage.start(t, [{ user: "/.*/", steps: [{ say: "Hello." }] }]);
  const [first, second] = await Promise.all([stage.worker("host-1", "--label", "gpu"), stage.worker("host-2")]);
  const front = await stage.front();
  const tokens = { user: await stage.token(), admin: await stage.adminToken() };
  const client = await front.client(tokens.user);
  const threadId = await client.startThread(stage.settings({ config: { "fleet.labels": ["gpu"] } }));
  const link = await stage.manager(front, tokens);
  const browser = (await openBrowser()) ?? assert.fail("a browser");
  atEnd(t, () => browser.close());
  const page = await browser.newPage({ viewport: sizes.desktop, reducedMotion: "reduce", serviceWorkers: "block" });
  page.setDefaultTimeout(patienceMs);
  const complaints = watchConsole(page);
  let received = "";
  page.on("response", async (response) => {
    received += await response.text().catch(() => "");
  });
  const worker = (name: string) => page.locator(`[data-worker="${name}"]`);
  const drain = (name: string) => page.getByRole("button", { name: `Drain ${name}` });
  const look = async (name: string): Promise<void> => {
    for (const [size, colorScheme] of [
      ["desktop", "light"],
      ["phone", "dark"],
    ] as const) {
      await page.setViewportSize(sizes[size]);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await checkAccessibility(page, `${name}, ${size}, ${colorScheme}`);
      await picture(page, `fleet-${name}-${size}-${colorScheme}`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false, `${name} is too wide`);
    }
    await page.setViewportSize(sizes.desktop);
  };

  await t.test("workers with their labels and threads, from the settings", async () => {
    await page.goto(link);
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await page.goto(`${new URL(link).origin}/settings/general`);
    await page.getByRole("navigation", { name: "Settings" }).getByRole("button", { name: "Fleet" }).click();
    await page.getByText("2 workers: 2 up.").waitFor();
    assert.match(await worker("host-1").innerText(), /Up[\s\S]*1 thread[\s\S]*gpu/);
    assert.match(await worker("host-2").innerText(), /Up[\s\S]*0 threads[\s\S]*no labels/);
    assert.match(await page.locator(".fleet-counts").innerText(), /Live[\s\S]*1[\s\S]*Active[\s\S]*0[\s\S]*Waiting[\s\S]*0/);
    await look("up");
  });

  await t.test("a worker that is killed is shown as lost, in words", async () => {
    await second.kill();
    await page.getByText("2 workers: 1 up, 1 lost.").waitFor();
    assert.match(await worker("host-2").innerText(), /Lost[\s\S]*no longer reports/);
    assert.equal(await page.locator("[data-worker]").first().getAttribute("data-worker"), "host-2", "it comes first");
    assert.ok(await drain("host-2").isDisabled());
    await look("lost");
  });

  await t.test("a worker leaves after a question that says what happens, with the keyboard alone", async () => {
    const dialog = page.getByRole("dialog", { name: "Drain this worker?" });
    await drain("host-1").press("Enter");
    await dialog.getByText("takes no new threads").waitFor();
    await dialog.getByText("No other worker is up").waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Drain host-1", "the focus is back");
    await drain("host-1").press("Enter");
    await dialog.waitFor();
    await look("question");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("host-1 is draining").first().waitFor();
    assert.equal(await first.ended, 0);
    await page.locator('[data-worker="host-1"][data-state="up"]').waitFor({ state: "detached" });
    assert.equal(await stage.holder(threadId), null, "its thread is free");
  });

  await t.test("a front that is gone is said, with what was known before", async () => {
    await front.process.kill();
    await page.getByText(/front cannot be asked.*Below is how it was at/).waitFor();
    await worker("host-2").waitFor();
    await look("no-front");
  });

  assert.ok(received.includes("host-1"), "the answers were read");
  assert.ok(!received.includes(tokens.admin) && !received.includes(tokens.user), "no token reaches the page");
  assert.deepEqual(
    complaints.filter((one) => !/status of 50[24]/.test(one)),
    [],
  );
});
