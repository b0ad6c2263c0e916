/** One window of the editor in a browser, and what a person does in it: by the names and roles that they see. */
import assert from "node:assert/strict";
import path from "node:path";
import type { Browser, Frame, Locator, Page } from "playwright-core";

const patience = 60_000;

export class Window {
  readonly page: Page;
  readonly #shots: string;
  #taken = 0;

  constructor(page: Page, shots: string) {
    this.page = page;
    this.#shots = shots;
    page.setDefaultTimeout(patience);
  }

  static async open(browser: Browser, url: string, shots: string): Promise<Window> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const window = new Window(page, shots);
    await page.goto(url, { timeout: 120_000, waitUntil: "domcontentloaded" });
    await window.#ready();
    return window;
  }

  async #ready(): Promise<void> {
    await this.page.locator(".statusbar-item", { hasText: "Parley" }).first().waitFor({ timeout: 90_000 });
  }

  /** Kept for people to look at. */
  async shot(name: string): Promise<void> {
    this.#taken++;
    await this.page.screenshot({ path: path.join(this.#shots, `${String(this.#taken).padStart(2, "0")}-${name}.png`) });
  }

  async reload(): Promise<void> {
    await this.page.reload({ timeout: 120_000, waitUntil: "domcontentloaded" });
    await this.#ready();
  }

  /** Runs a command of the palette by its title. */
  async command(title: string): Promise<void> {
    const field = this.quickInput.locator('input[placeholder^="Type the name of a command"]');
    // A view that is just being drawn may take the focus, which closes the palette; a person opens it again.
    const isTyped = async (): Promise<boolean> => {
      if (!(await field.isVisible())) await this.page.keyboard.press("Control+Shift+P");
      return await field.fill(`>${title}`, { timeout: 3000 }).then(
        () => true,
        () => false,
      );
    };
    let tries = 1;
    while (!(await isTyped())) if (++tries > 8) throw new Error(`the palette does not stay open for ${title}`);
    await this.quickInput
      .locator(".monaco-list-row", { hasText: title.replace(/^Parley: /, "") })
      .first()
      .waitFor();
    await this.page.keyboard.press("Enter");
  }

  /* The panel */

  async openPanel(): Promise<Frame> {
    await this.page.keyboard.press("Control+Alt+y");
    const panel = await this.panel();
    // From then on the panel carries out commands at once; before, one may take away what is typed meanwhile.
    await panel.getByRole("button", { name: /^Model/ }).waitFor();
    await this.#widen();
    return panel;
  }

  /** Draws the side bar wider, as most people have it. */
  async #widen(): Promise<void> {
    const box = await this.page.locator(".part.sidebar").boundingBox();
    if (box === null || box.width > 380) return;
    const edge = box.x + box.width;
    await this.page.mouse.move(edge + 1, 450);
    await this.page.mouse.down();
    await this.page.mouse.move(edge + 90, 450, { steps: 5 });
    await this.page.mouse.up();
    await this.page.mouse.move(edge + 400, 500);
  }

  /** The frame that the page's screens are drawn in. */
  async panel(): Promise<Frame> {
    const end = Date.now() + patience;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) if (await hasPanel(frame)) return frame;
      await this.page.waitForTimeout(100);
    }
    throw new Error("the panel did not appear");
  }

  /** A second panel, opened after the first. */
  async otherPanel(): Promise<Frame> {
    const first = await this.panel();
    const end = Date.now() + patience;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) if (frame !== first && (await hasPanel(frame))) return frame;
      await this.page.waitForTimeout(100);
    }
    throw new Error("the second panel did not appear");
  }

  /** Starts a session with a message. */
  async say(text: string): Promise<void> {
    await this.command("Parley: New Session");
    const panel = await this.panel();
    await panel.locator(".home textarea#composer").fill(text);
    await panel.locator("textarea#composer").press("Enter");
    await panel.locator(".session").waitFor();
  }

  async reply(text: string): Promise<void> {
    const panel = await this.panel();
    await panel.locator("textarea#composer").fill(text);
    await panel.locator("textarea#composer").press("Enter");
  }

  async card(): Promise<Locator> {
    const card = (await this.panel()).locator("section.card").first();
    await card.waitFor();
    return card;
  }

  /** Waits until the transcript holds this text. */
  async sees(text: string | RegExp): Promise<void> {
    await (await this.panel()).locator(".session").getByText(text).first().waitFor();
  }

  async noCard(): Promise<void> {
    await (await this.panel()).locator("section.card").waitFor({ state: "detached" });
  }

  /* Native parts */

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget");
  }
  /** Chooses an entry of the open list. */
  async pick(label: string): Promise<void> {
    const row = this.quickInput.locator(".monaco-list-row", { hasText: label }).first();
    await row.waitFor();
    await row.click();
  }
  /** Writes into the open input box and confirms. */
  async write(text: string): Promise<void> {
    await this.quickInput.locator('input[placeholder^="Your answer"]').fill(text);
    await this.page.keyboard.press("Enter");
  }
  async title(text: string): Promise<void> {
    await this.quickInput.locator(".quick-input-title", { hasText: text }).waitFor();
  }
  async quickInputGone(): Promise<void> {
    await this.quickInput.waitFor({ state: "hidden" });
  }
  get dialog(): Locator {
    return this.page.locator(".monaco-dialog-box");
  }
  /** A button in the title bar of the editor in front. */
  titleAction(name: string): Locator {
    return this.page.locator(`.editor-actions a.action-label[aria-label^="${name}"]`);
  }
  get toasts(): Locator {
    return this.page.locator(".notifications-toasts .notification-list-item");
  }
  get statusText(): Promise<string> {
    return this.page.locator(".statusbar-item", { hasText: "Parley" }).first().innerText();
  }
  async statusSays(text: string): Promise<void> {
    await this.page.locator(".statusbar-item", { hasText: text }).first().waitFor();
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

export const hasPanel = async (frame: Frame): Promise<boolean> =>
  (await frame
    .locator("#root .shell")
    .count()
    .catch(() => 0)) > 0;

/** Waits for something that is not in the window: a file, a line of a log. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + patience;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `${what}: not within ${patience / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
