/** A stage for browser tests: the real manager over the real engine with a scripted model, in its own folder, and signed-in pages. */
import assert from "node:assert/strict";
import path from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Scope } from "../../src/manager/api/define.ts";
import type { Fleet } from "../../src/manager/fleet.ts";
import { realEngine, scratchFolder, startManager, type TestManager } from "../support/manager.ts";
import { openBrowser, pageFolder, patienceMs } from "./page.ts";

export const sizes = { desktop: { width: 1440, height: 900 }, tablet: { width: 1024, height: 768 }, phone: { width: 390, height: 844 } };

export class Stage {
  readonly browser: Browser;
  readonly #scratch: ReturnType<typeof scratchFolder>;
  readonly #play: Play;
  manager: TestManager;

  private constructor(browser: Browser, scratch: ReturnType<typeof scratchFolder>, manager: TestManager, play: Play) {
    this.browser = browser;
    this.#scratch = scratch;
    this.manager = manager;
    this.#play = play;
  }

  /** `config` is added to the engine's config.toml; with `offlineTour` the manager says that no model is set up. */
  static async open(
    scenario: string,
    config = "",
    options: Partial<Pick<Play, "offlineTour" | "pushHosts" | "fleet">> = {},
  ): Promise<Stage> {
    const browser = (await openBrowser()) ?? assert.fail("a browser");
    const scratch = scratchFolder();
    const play = { scenario, config, offlineTour: false, pushHosts: [], ...options };
    return new Stage(browser, scratch, await start(scratch, play), play);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.manager.close();
    this.#scratch.remove();
  }

  get url(): string {
    return this.manager.url;
  }
  get workspace(): string {
    return this.#scratch.workspace;
  }
  /** The engine's home, which is also its user's. */
  get userHome(): string {
    return path.join(this.#scratch.folder, "home");
  }

  /** Stops the manager and its engine, and restarts both at the same address with their stored data. `meanwhile` runs while they are down. */
  async restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const port = Number(new URL(this.manager.url).port);
    await this.manager.close();
    await meanwhile();
    this.manager = await start(this.#scratch, this.#play, port);
  }

  /** A signed-in page in its own browser context. */
  async newPage(scope: Scope = "admin", options: BrowserContextOptions = {}): Promise<Page> {
    // A service worker's requests cannot be intercepted; tests that are about it allow it.
    const context = await this.browser.newContext({
      ...{ viewport: sizes.desktop, reducedMotion: "reduce", serviceWorkers: "block" },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    const { code } = this.manager.backend.access.makeLink(scope, undefined);
    await page.goto(`${this.url}/#sign-in=${code}`);
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    return page;
  }

  async home(page: Page): Promise<void> {
    await page.goto(this.url);
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  }

  /** Starts a session with this first message. */
  async begin(page: Page, text: string): Promise<void> {
    await this.home(page);
    await send(page, text);
    await page.locator(".session").waitFor();
  }
}

interface Play {
  readonly scenario: string;
  readonly config: string;
  readonly offlineTour: boolean;
  readonly pushHosts: readonly string[];
  readonly fleet?: Fleet;
}

function start(
  scratch: ReturnType<typeof scratchFolder>,
  { scenario, config, offlineTour, pushHosts, fleet }: Play,
  port?: number,
): Promise<TestManager> {
  const real = realEngine(scratch.folder, scratch.workspace, scenario, config);
  const { close } = real;
  const engine = { ...real.engine, whyNoModel: () => (offlineTour ? "no model is set up" : undefined) };
  const { folder, workspace } = scratch;
  return startManager({
    ...{ engine, folder, workspace, page: pageFolder, pushHosts, fleet, onClose: close },
    ...(port === undefined ? {} : { port }),
  });
}

export const composer = (page: Page): Locator => page.getByLabel("Message", { exact: true });
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  // Into the composer, wherever the focus is: a dialog that closes gives it back to what had it before.
  await composer(page).press("Enter");
}
/** Waits until no turn is running. */
export const idle = (page: Page): Promise<void> => page.getByRole("button", { name: "Stop the turn" }).waitFor({ state: "detached" });
export const composerHasFocus = (page: Page): Promise<boolean> => page.evaluate('document.activeElement.id === "composer"');
