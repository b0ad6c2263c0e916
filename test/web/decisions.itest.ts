/** No decision is made without seeing what it is about, and no typed text gets lost: real manager, scripted model, at desktop and phone sizes. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { picture, pressTwice, until } from "./page.ts";
import { composer, composerHasFocus, idle as isIdle, Stage, sizes, send as write } from "./stage.ts";

const scenario = `
pace: 1
turns:
  - user: three commands
    steps:
      - run: "touch first-of-three.txt"
      - run: "touch second-of-three.txt"
      - run: "touch third-of-three.txt"
      - say: "All three are through."
  - user: patch please
    steps:
      - patch: "*** Begin Patch\\n*** Add File: seen-before.md\\n+A line to decide on\\n*** End Patch"
      - say: Patched.
  - user: ask me
    steps:
      - ask:
          - { id: colour, header: Colour, question: "Which colour?", options: [{ label: Red, description: "" }, { label: Green, description: "" }] }
          - { id: code, header: Code, question: "The code?", isSecret: true, options: [] }
      - say: "You chose {{output}}"
  - user: slow story
    steps:
      - pace: 200
      - say: "Once upon a time there was a very long sentence that took its time to arrive, word by word, until somebody stopped it for good."
  - user: said once
    steps:
      - say: "It was heard."
  - steps:
      - say: "It was read."
`;
/** A phone's height while its keyboard is shown. */
const aboveKeyboard = { width: 390, height: 470 };

/** Runs in the page: whether the whole element is visible, within the window and every scrolling ancestor. */
const inSight = `(element) => {
  const box = element.getBoundingClientRect();
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (style.overflowY === "visible" && style.overflowX === "visible") continue;
    const frame = at.getBoundingClientRect();
    if (box.top < frame.top - 1 || box.bottom > frame.bottom + 1 || box.left < frame.left - 1 || box.right > frame.right + 1) return false;
  }
  return box.height > 0 && box.top >= -1 && box.bottom <= innerHeight + 1 && box.left >= -1 && box.right <= innerWidth + 1;
}`;
/** What must be visible while a command waits, as expressions in the page. */
const parts = {
  command: 'document.querySelector(".card-command")',
  decline: '[...document.querySelectorAll(".card-buttons button")].find((button) => button.textContent.startsWith("Decline"))',
  composer: 'document.querySelector("#composer")',
};
/** Runs in the page: a text file being dragged. */
const draggedFile = `(() => {
  const data = new DataTransfer();
  data.items.add(new File(["dropped text"], "dropped.txt", { type: "text/plain" }));
  return data;
})()`;

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("decisions and typed text", skip, () => {
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await Stage.open(scenario);
    page = await stage.newPage();
  });
  after(() => stage.close());

  const home = async (): Promise<void> => {
    await page.setViewportSize(sizes.desktop);
    await stage.home(page);
  };
  const send = (text: string): Promise<void> => write(page, text);
  const idle = (): Promise<void> => isIdle(page);

  const isInSight = (element: string): Promise<boolean> => page.evaluate(`(${inSight})(${element})`);

  test("of three waiting commands, one is shown in full with all its answers, at every size; the others are one step away", async () => {
    await home();
    await send("three commands");
    const card = page.getByRole("region", { name: "Run this command?" });
    await page.getByText("1 of 3 that wait for you, 2 more").waitFor();
    assert.equal(await card.count(), 1);
    for (const [name, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      await picture(page, `decisions-three-${name}`);
      for (const [part, element] of Object.entries(parts)) assert.ok(await isInSight(element), `${part} at ${name} size`);
    }
    await page.setViewportSize(aboveKeyboard);
    await picture(page, "decisions-three-keyboard");
    assert.ok(await isInSight(parts.composer), "the composer stays above the keyboard");
    await card.getByRole("button", { name: /^Decline/ }).scrollIntoViewIfNeeded();
    assert.ok(await isInSight(parts.decline));
    await page.setViewportSize(sizes.desktop);
    const shown = new Set<string>();
    for (let i = 0; i < 3; i++) {
      shown.add(await card.locator(".card-command").innerText());
      await page.getByRole("button", { name: "Next request" }).click();
    }
    assert.equal(shown.size, 3);
    for (let left = 3; left > 0; left--) {
      const command = await card.locator(".card-command").innerText();
      await card.focus();
      await page.keyboard.press("y");
      await page.locator(".card-command", { hasText: command }).waitFor({ state: "detached" });
    }
    await page.getByText("All three are through.").waitFor();
    await until(() => composerHasFocus(page), "the composer has the focus after the last answer");
  });

  test("the inbox shows the files and the diff that are decided on", async () => {
    await home();
    await send("patch please");
    await page.getByRole("region", { name: "Apply these changes?" }).waitFor();
    await page.goto(`${stage.url}/inbox`);
    const card = page.getByRole("region", { name: "Apply these changes?" });
    await card.getByText("seen-before.md").first().waitFor();
    await card.getByText("A line to decide on").waitFor();
    await picture(page, "decisions-inbox");
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await card.waitFor({ state: "detached" });
  });

  test("digits that are typed into a secret stay in it", async () => {
    await home();
    await send("ask me");
    await page.getByText("Which colour?").waitFor();
    const secret = page.locator("input[type=password]");
    if ((await secret.count()) === 0) {
      await page.getByRole("tab", { name: /Code/ }).click();
    }
    await secret.click();
    await page.keyboard.type("12a34");
    assert.equal(await secret.inputValue(), "12a34");
    await picture(page, "decisions-secret");
    const colour = page.getByRole("tab", { name: /Colour/ });
    if ((await colour.count()) > 0) await colour.click();
    assert.equal(await page.getByRole("radio", { checked: true }).count(), 0, "no option was picked by typing");
    await page.getByRole("radio", { name: "Green" }).click();
    await page.getByRole("button", { name: "Send answer" }).click();
    await page.getByText(/You chose/).waitFor();
    await idle();
  });

  test("a dialog takes what is typed at once and gives the focus back", async () => {
    await composer(page).fill("/rename");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Rename" });
    await dialog.waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("A better title");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "A better title" }).waitFor();
    await until(() => composerHasFocus(page), "the composer has the focus again");
  });

  test("a slash with an unknown command is sent as it was written", async () => {
    await composer(page).fill("/deploy");
    await page.keyboard.press("Enter");
    await page.locator(".user-message", { hasText: "/deploy" }).waitFor();
    await idle();
  });

  test("a message whose call was cut is sent by itself, once", async () => {
    let cuts = 0;
    await page.route("**/messages", async (route) => {
      if (cuts++ === 0) await route.abort();
      else await route.continue();
    });
    await send("said once");
    await page.getByText("It was heard.").waitFor();
    await idle();
    assert.equal(await page.locator(".user-message", { hasText: "said once" }).count(), 1);
    assert.equal(await page.getByText("This is sent as soon as it is back").count(), 0);
    await page.unroute("**/messages");
  });

  test("Escape twice closes a dialog or leaves the search, and stops no turn; in the composer it does", async () => {
    await send("slow story");
    const stop = page.getByRole("button", { name: "Stop the turn" });
    await stop.waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await pressTwice(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("#session-search").focus();
    await pressTwice(page, "Escape");
    assert.ok(await stop.isVisible());
    await composer(page).focus();
    await pressTwice(page, "Escape");
    await idle();
  });

  test("attachments and the open panel are there again after going elsewhere, and after a reload; a file dropped anywhere is attached", async () => {
    const here = page.url();
    const drop = await page.evaluateHandle(draggedFile);
    await page.locator(".transcript").dispatchEvent("drop", { dataTransfer: drop });
    await page.getByRole("button", { name: "Remove dropped.txt" }).waitFor();
    await page.keyboard.press("Control+Shift+d");
    await page.getByRole("complementary", { name: "Session details" }).waitFor();
    await page.keyboard.press("Alt+n");
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Remove dropped.txt" }).waitFor();
    await page.reload();
    assert.equal(page.url(), here);
    await page.getByRole("button", { name: "Remove dropped.txt" }).waitFor();
    await page.getByRole("complementary", { name: "Session details" }).waitFor();
    await page.getByRole("button", { name: "Remove dropped.txt" }).click();
  });

  test("a device that may only look has nothing to press", async () => {
    await home();
    await send("three commands");
    await page.getByRole("region", { name: "Run this command?" }).waitFor();
    const address = page.url();
    const looker = await stage.newPage("read");
    await looker.goto(address);
    await looker.getByText("This device may only look").waitFor();
    assert.equal(await looker.getByRole("button", { name: /^(Allow|Decline|Stop)/ }).count(), 0);
    await picture(looker, "decisions-only-looking");
    await looker.context().close();
  });

  test("on a touch screen Enter makes a new line and the button sends", async () => {
    const touched = await stage.newPage("admin", { viewport: sizes.phone, hasTouch: true, isMobile: true });
    await composer(touched).fill("one");
    await composer(touched).press("Enter");
    await composer(touched).pressSequentially("two");
    assert.equal(await composer(touched).inputValue(), "one\ntwo");
    await touched.getByRole("button", { name: "Send", exact: true }).click();
    await touched.locator(".user-message", { hasText: "one" }).waitFor();
    await touched.context().close();
  });
});
