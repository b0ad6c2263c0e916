/** Accessibility for people who do not see the page, do not use a mouse, or need it larger: one test for each line of the list. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { FakeBridge } from "../../apps/web/test/fake-bridge.ts";
import { requests } from "../../apps/web/test/fake-world.ts";
import { fill } from "../../apps/web/test/play.ts";
import { checkAccessibility, openBrowser, pageFolder, patienceMs, picture, until, watchConsole } from "./page.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("accessible to everyone", skip, () => {
  let browser: Browser | undefined;
  let bridge: FakeBridge;
  let page: Page;
  let url = "";
  let complaints: string[] = [];

  before(async () => {
    browser = await openBrowser();
    bridge = new FakeBridge(pageFolder);
    fill(bridge);
    url = await bridge.listen();
    page = (await browser?.newPage({ viewport: { width: 1280, height: 860 } })) ?? assert.fail("a browser");
    page.setDefaultTimeout(patienceMs);
    complaints = watchConsole(page);
  });
  after(async () => {
    await browser?.close();
    await bridge.close();
  });

  const open = async (address: string): Promise<void> => {
    bridge.pending.clear();
    await page.goto(url + address);
    await settled(page);
    if (address.startsWith("/s/")) await page.locator(".composer textarea").waitFor();
  };
  /** Waits until the page shows its initial data: later content must not move what is focused, counted or measured. */
  const settled = async (on: Page): Promise<void> => {
    await on.locator("main h1").first().waitFor();
    await on.locator(".session-row, .menu-button").first().waitFor();
    if (/\/s\//.test(on.url())) {
      await on.locator(".turn, .empty").first().waitFor();
      await on
        .getByRole("button", { name: /^Model/ })
        .and(on.locator(":enabled"))
        .waitFor();
    }
    await on.locator("main").getByText("Loading…").first().waitFor({ state: "detached" });
  };
  const focused = (): Promise<string> =>
    page.evaluate("(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()");
  /** Presses Tab until something of this name has the focus. */
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      if (name.test(await focused())) return;
    }
    assert.fail(`nothing called ${name} can be reached with Tab`);
  };

  /** Presses Tab until an element of this kind has the focus. */
  const reach = async (tag: string): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate("document.activeElement.tagName")) === tag) return;
    }
    assert.fail(`no ${tag} can be reached with Tab`);
  };

  test("landmarks, skip links to list, conversation and composer, and a heading for every turn", async () => {
    await open("/s/s1");
    assert.equal(await page.getByRole("main").count(), 1);
    assert.equal(await page.getByRole("navigation", { name: /session/i }).count(), 1);
    await page.getByRole("button", { name: "Changes" }).first().click();
    await page.getByRole("button", { name: "Close the panel" }).waitFor();
    assert.equal(await page.getByRole("complementary", { name: "Session details" }).count(), 1);
    await page.getByRole("button", { name: "Close the panel" }).click();
    for (const [link, target] of [
      ["Session list", "session-search"],
      ["Conversation", "main"],
      ["Composer", "composer"],
    ] as const) {
      await page.getByRole("navigation", { name: "Skip to" }).getByRole("link", { name: link }).focus();
      assert.ok(await page.getByRole("link", { name: link }).isVisible(), `the link to the ${link} shows when it has the focus`);
      await page.keyboard.press("Enter");
      await page.locator(`#${target}:focus`).waitFor();
    }
    const turns = page.getByRole("article");
    assert.ok((await turns.count()) >= 2);
    for (const turn of await turns.all()) assert.match((await turn.getByRole("heading").first().textContent()) ?? "", /^Turn \d+/);
  });

  test("streamed text is never read out; one polite announcement gives the state", async () => {
    await open("/s/s5");
    await page.evaluate(`(() => {
      window.announced = [];
      const watch = (selector) => new MutationObserver(() => window.announced.push(document.querySelector(selector).textContent))
        .observe(document.querySelector(selector), { childList: true, characterData: true, subtree: true });
      watch("[aria-live=polite]");
      watch("[aria-live=assertive]");
    })()`);
    // Each state must last until the page has drawn it: a state that begins and ends within one frame is never announced.
    const play = bridge.onMessage;
    bridge.onMessage = (sessionId) => {
      bridge.update(sessionId, { state: "working", activeTurnId: "spoken" });
      bridge.notify(sessionId, "turn/started", { turn: { id: "spoken", items: [], status: "inProgress" } });
      bridge.notify(sessionId, "item/started", { turnId: "spoken", item: { type: "agentMessage", id: "words", text: "" } });
    };
    await page.locator("#composer").fill("hello");
    await page.keyboard.press("Enter");
    await page.locator("[aria-live=polite]", { hasText: "Working" }).waitFor({ state: "attached" });
    bridge.onMessage = play;
    for (const delta of ["All ", "tests ", "pass."]) {
      bridge.notify("s5", "item/agentMessage/delta", { turnId: "spoken", itemId: "words", delta });
      await page.getByText(delta.trim()).first().waitFor();
    }
    bridge.notify("s5", "turn/completed", { turn: { id: "spoken", items: [], status: "completed" } });
    bridge.update("s5", { state: "idle", activeTurnId: null, lastTurnStatus: "completed" });
    await page.getByText("All tests pass.").waitFor();
    await page.locator("[aria-live=polite]", { hasText: "Done" }).waitFor({ state: "attached" });
    assert.deepEqual(await page.evaluate("window.announced"), ["Working", "Done"]);
    assert.equal(
      await page.locator("article").last().locator("xpath=ancestor-or-self::*[@aria-live or @role='log' or @role='status']").count(),
      0,
    );
  });

  test("a request is announced once and at once, takes no focus, and a key leads to it", async () => {
    await open("/s/s5");
    await page.locator("#composer").focus();
    await page.evaluate(`(() => {
      window.announced = [];
      const alert = document.querySelector("[aria-live=assertive]");
      new MutationObserver(() => window.announced.push(alert.textContent)).observe(alert, { childList: true, characterData: true, subtree: true });
    })()`);
    bridge.ask(requests.command("s5"));
    await page.getByRole("region", { name: "Run this command?" }).waitFor();
    await page.locator("[aria-live=assertive]", { hasText: /./ }).waitFor({ state: "attached" });
    await page.keyboard.type("y n");
    assert.deepEqual([await page.evaluate("document.activeElement.id"), bridge.answers.length], ["composer", 0]);
    assert.equal(await page.locator("#composer").inputValue(), "y n");
    const announced = (await page.evaluate("window.announced")) as string[];
    assert.equal(announced.length, 1, String(announced));
    assert.ok(announced[0] !== undefined && announced[0].length < 140, "a short sentence");
    await page.keyboard.press("Alt+a");
    await page.locator("[data-request]:focus").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(bridge.answers.length, 0, "Escape leaves the card and decides nothing");
    await page.locator("#composer").fill("");
  });

  test("a key that leads to a request does not take the focus back from a user who moved on at once", async () => {
    await open("/s/s5");
    const { requestId } = bridge.ask(requests.question("s5"));
    await page.locator(`[data-request="${requestId}"] input`).first().waitFor();
    const reached = await page.evaluate(`(async () => {
      const card = document.querySelector('[data-request="${requestId}"]');
      dispatchEvent(new KeyboardEvent("keydown", { key: "a", code: "KeyA", altKey: true }));
      await Promise.resolve();
      const first = document.activeElement === card;
      card.querySelector("input").focus();
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0));
      return [first, document.activeElement === card.querySelector("input")];
    })()`);
    assert.deepEqual(reached, [true, true]);
  });

  test("every kind of request is answered with the keyboard alone", async () => {
    await open("/s/s5");
    const before = bridge.answers.length;
    const run = async (kind: keyof typeof requests, answer: () => Promise<void>, expected: RegExp): Promise<void> => {
      bridge.pending.clear();
      const { requestId } = bridge.ask(requests[kind]("s5"));
      await page.locator(`[data-request="${requestId}"]`).waitFor();
      await page.keyboard.press("Alt+a");
      await page.locator(`[data-request="${requestId}"]:focus`).waitFor();
      await answer();
      await page.locator(`[data-request="${requestId}"]`).waitFor({ state: "detached" });
      assert.match(JSON.stringify(bridge.answers.at(-1)), expected, kind);
      assert.equal(bridge.answers.at(-1)?.requestId, requestId);
    };
    const press = (key: string) => () => page.keyboard.press(key);
    await run("command", press("y"), /"decision":"accept"/);
    await run("command", press("n"), /"decision":"decline"/);
    await run("network", press("r"), /applyNetworkPolicyAmendment/);
    await run("file", press("s"), /"decision":"acceptForSession"/);
    await run("permissions", press("Enter"), /"permissions"/);
    await run(
      "question",
      async () => {
        await reach("INPUT");
        await page.keyboard.press("Space");
        await reach("TEXTAREA");
        await page.keyboard.type("No");
        await tabTo(/^Send answer/);
        await page.keyboard.press("Enter");
      },
      /"answers"/,
    );
    await run(
      "tool",
      async () => {
        await reach("TEXTAREA");
        await page.keyboard.type("It is open.");
        await tabTo(/^Send result/);
        await page.keyboard.press("Enter");
      },
      /It is open/,
    );
    await run(
      "form",
      async () => {
        while (!["SELECT", "INPUT"].includes(String(await page.evaluate("document.activeElement.tagName"))))
          await page.keyboard.press("Tab");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Space");
        await tabTo(/^Send$|^Submit|^Accept|^Send answer/);
        await page.keyboard.press("Enter");
      },
      /"action":"accept"/,
    );
    await run(
      "link",
      async () => {
        await tabTo(/^I have done it/);
        await page.keyboard.press("Enter");
      },
      /"action":"accept"/,
    );
    assert.equal(bridge.answers.length - before, 9);
  });

  test("single letters act only on a focused card, and can be switched off", async () => {
    await open("/s/s5");
    const { requestId } = bridge.ask(requests.command("s5"));
    const card = page.locator(`[data-request="${requestId}"]`);
    await card.waitFor();
    const before = bridge.answers.length;
    await page
      .locator(".transcript-list, .transcript")
      .first()
      .click({ position: { x: 5, y: 5 } });
    for (const key of ["y", "s", "r", "n"]) await page.keyboard.press(key);
    await card.getByRole("button", { name: "Raw" }).focus();
    await page.keyboard.press("y");
    assert.equal(bridge.answers.length, before);
    await page.goto(`${url}/settings/general`);
    await page.getByText("Letters answer a focused card").click();
    await page.goto(`${url}/s/s5`);
    await card.waitFor();
    await page.keyboard.press("Alt+a");
    await card.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("y");
    assert.equal(bridge.answers.length, before);
    assert.equal(await card.locator(".keycap").count(), 0, "no letter is promised that does nothing");
    await page.goto(`${url}/settings/general`);
    await page.getByText("Letters answer a focused card").click();
  });

  test("pickers are listboxes, menus survive arrow keys, the palette is a combobox, the composer a text field", async () => {
    await open("/s/s1");
    assert.equal(await page.locator("#composer").evaluate((e: { tagName: string }) => e.tagName), "TEXTAREA");
    await page.getByRole("button", { name: /^Permissions/ }).focus();
    await page.keyboard.press("ArrowDown");
    const list = page.getByRole("listbox");
    await list.waitFor();
    const active = (): Promise<string | null> => list.getAttribute("aria-activedescendant");
    const first = await active();
    await page.keyboard.press("ArrowDown");
    await until(async () => (await active()) !== first, "another option is active");
    assert.equal(await page.locator(`[id="${await active()}"]`).getAttribute("role"), "option");
    await page.keyboard.press("Escape");
    assert.match(await focused(), /^Permissions/, "the focus goes back to where it was");

    await page.getByRole("button", { name: "Session actions" }).focus();
    await page.keyboard.press("Enter");
    const names: string[] = [];
    for (let i = 0; i < 4; i++) {
      names.push(await focused());
      await page.keyboard.press("ArrowDown");
    }
    assert.equal(new Set(names).size, 4, `each arrow goes to another entry: ${names}`);
    assert.equal(await page.getByRole("menu").count(), 1);
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "Search commands and sessions" });
    await box.waitFor();
    await page.keyboard.press("ArrowDown");
    const option = await box.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`[id="${option}"]`).getAttribute("role"), "option");
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
  });

  test("every stop of the Tab key can be seen, none is a trap", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" }); // the focus indicator appears at once
    await open("/s/s1");
    // The focus indicator is on the element itself or on the box around it.
    const look = `(() => { const at = document.activeElement; window.last = at; if (at === document.body) return null; const sign = (e) => { const s = getComputedStyle(e); return [s.outlineStyle, s.outlineWidth, s.boxShadow, s.borderColor, s.backgroundColor].join(); };
      const boxes = [at, at.parentElement, at.parentElement?.parentElement].filter((e) => e !== null && e !== undefined && e !== document.body);
      const withFocus = boxes.map(sign); at.blur(); const without = boxes.map(sign); at.focus({ preventScroll: true });
      return { name: at.tagName + " " + (at.getAttribute("aria-label") ?? at.textContent ?? "").trim().slice(0, 40), id: at.outerHTML.slice(0, 200), seen: withFocus.join() !== without.join() }; })()`;
    const stops: string[] = [];
    const unseen: string[] = [];
    await page.evaluate("window.last = document.activeElement");
    for (let i = 0; i < 90; i++) {
      await page.keyboard.press("Tab");
      await page.waitForFunction("document.activeElement !== window.last"); // focus may move a moment after the key
      const stop = (await page.evaluate(look)) as { name: string; id: string; seen: boolean } | null;
      if (stop === null) break;
      stops.push(stop.id);
      if (!stop.seen) unseen.push(stop.name);
    }
    assert.ok(stops.length > 15 && stops.length < 90, `${stops.length} stops`);
    assert.deepEqual(unseen, []);
    for (let i = 1; i < stops.length; i++) assert.notEqual(stops[i], stops[i - 1], "Tab goes on");
  });

  test("states are shown by text and icons, not by colour alone", async () => {
    await open("/s/s1");
    const rows = page.locator(".session-row");
    await rows.filter({ hasText: "dark mode" }).getByText("Working").waitFor();
    await rows.filter({ hasText: "nightly build" }).getByText("Failed").waitFor();
    bridge.ask(requests.command("s4"));
    await rows.filter({ hasText: "TypeScript 7" }).getByText("Needs you").waitFor();
    await page.getByRole("button", { name: "Changes" }).first().click();
    const panel = page.getByRole("complementary", { name: "Session details" });
    for (const row of await panel.locator("tr.diff-add, tr.diff-remove").all()) assert.match(await row.innerText(), /[+−-]/);
    await panel.getByText("lines added").first().waitFor({ state: "attached" });
    await panel.getByRole("button", { name: "Close the panel" }).click();
  });

  test("a diff with colours can be read in both themes, unified and side by side", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await open("/s/s1");
      const panel = page.getByRole("complementary", { name: "Session details" });
      // It is open again if it was left open.
      if (colorScheme === "light") await page.getByRole("button", { name: "Changes" }).first().click();
      await panel.locator(".diff-code [style*=color]").first().waitFor();
      await checkAccessibility(page, `${colorScheme} diff`, "colours");
      await panel.getByRole("button", { name: colorScheme === "light" ? "Side by side" : "Unified" }).click();
      await panel.locator(".diff-code [style*=color]").first().waitFor();
      await checkAccessibility(page, `${colorScheme} diff, the other way`, "colours");
      await picture(page, `41-diff-${colorScheme}`);
    }
    await page.getByRole("button", { name: "Close the panel" }).click();
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("the width of the panel can be changed with the keyboard", async () => {
    await open("/s/s1");
    await page.getByRole("button", { name: "Changes" }).first().click();
    const panel = page.getByRole("complementary", { name: "Session details" });
    const width = async (): Promise<number> => (await panel.boundingBox())?.width ?? 0;
    const usual = await width();
    await page.getByRole("separator", { name: "Width of the panel" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.ok((await width()) > usual + 20);
    await page.keyboard.press("Enter");
    assert.ok(Math.abs((await width()) - usual) < 2);
    await panel.getByRole("button", { name: "Close the panel" }).click();
  });

  /** Touch and click targets, with their size; links inside sentences and output are exempt, as are fields behind a larger label. */
  const targets = (on: Page): Promise<{ name: string; width: number; height: number }[]> =>
    on.evaluate(`[...document.querySelectorAll("button, a[href], select, textarea, input, [role=option], [role=switch]")].flatMap((e) => {
      if (e.matches(".skip-links a, p a, .markdown a, li a, .file-link") || e.disabled || e.closest("[inert]") !== null) return [];
      const target = e.matches("input[type=file], input[type=checkbox], input[type=radio]") ? (e.closest("label") ?? e) : e;
      const { width, height } = target.getBoundingClientRect();
      const style = getComputedStyle(target);
      if (width === 0 || height === 0 || style.visibility === "hidden" || style.opacity === "0" || style.pointerEvents === "none") return [];
      return [{ name: (e.getAttribute("aria-label") ?? e.textContent ?? e.id).trim().slice(0, 50) + " ." + e.className, width, height }];
    })`);

  test("targets are at least 24 pixels, and 44 under a finger", async () => {
    await open("/s/s1");
    bridge.ask(requests.command("s1"));
    await page.getByRole("region", { name: "Run this command?" }).waitFor();
    assert.deepEqual(
      (await targets(page)).filter((t) => t.width < 24 || t.height < 24),
      [],
    );
    const phone =
      (await browser?.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" })) ??
      assert.fail();
    phone.setDefaultTimeout(patienceMs);
    for (const address of ["/s/s1", "/inbox", "/settings/general", "/settings/fleet"]) {
      await phone.goto(url + address);
      await settled(phone);
      if (address === "/settings/fleet") await phone.getByRole("button", { name: "Drain host-1" }).waitFor();
      if (!address.startsWith("/settings/")) await phone.locator("[data-request]").first().waitFor();
      const small = (await targets(phone)).filter((t) => t.height < 44 || t.width < 44);
      assert.deepEqual(small, [], address);
    }
    await picture(phone, "40-phone-settings");
    await phone.close();
  });

  test("with reduced motion nothing moves", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open("/s/s2");
    await page.locator(".working").waitFor();
    const moving = await page.evaluate(
      "document.getAnimations().filter((a) => a.playState === 'running' && a.effect.getComputedTiming().duration > 50).map((a) => a.animationName ?? a.transitionProperty)",
    );
    assert.deepEqual(moving, []);
    await page.emulateMedia({ reducedMotion: "no-preference" });
  });

  test("a time limit is shown and can be lifted", async () => {
    await open("/s/s5");
    const limited = { ...requests.command("s5"), kind: "other" as const, method: "attestation/generate" };
    bridge.ask({ ...limited, expiresAt: new Date(Date.now() + 60_000).toISOString() });
    const card = page.locator("[data-request]").last();
    await card.getByText(/Ends by itself at/).waitFor();
    await card.getByRole("button", { name: "Keep it waiting" }).click();
    await card.getByText(/Ends by itself at/).waitFor({ state: "detached" });
  });

  test("the page itself had nothing to complain about", () => assert.deepEqual(complaints, []));
});
