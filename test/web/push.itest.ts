/** Notifications while the page is closed: the page subscribes, the manager's message reaches the service worker, and Allow in the notification lets the command run. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { CDPSession, Page, Worker } from "playwright-core";
import { type Arrived, PushService } from "../support/push-service.ts";
import { checkAccessibility, picture, until, watchConsole } from "./page.ts";
import { idle, Stage, send } from "./stage.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

const scenario = `
turns:
  - user: /Touch/
    steps:
      - run: touch allowed.txt
      - say: The file is there.
  - user: /./
    steps:
      - say: Nothing to do.
`;

describe("push notifications", skip, () => {
  let service: PushService;
  let stage: Stage;
  let page: Page;
  let worker: Worker;
  let browser: CDPSession;
  let registrationId = "";
  let complaints: string[] = [];

  before(async () => {
    service = await PushService.open();
    stage = await Stage.open(scenario, "", { pushHosts: [service.host] });
    page = await stage.newPage("admin", { serviceWorkers: "allow", permissions: ["notifications"] });
    complaints = watchConsole(page);
    browser = await page.context().newCDPSession(page);
    browser.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      registrationId = registrations[0]?.registrationId ?? registrationId;
    });
    await browser.send("ServiceWorker.enable");
  });
  after(async () => {
    await stage.close();
    await service.close();
  });

  /** What the push service of a real browser does next. */
  const deliver = async ({ payload }: Arrived): Promise<void> => {
    await browser.send("ServiceWorker.deliverPushMessage", { origin: stage.url, registrationId, data: JSON.stringify(payload) });
  };
  /** Somebody who looks at the page sees the request there. On a busy machine it stays visible to the worker for a moment after it was left. */
  const leave = async (): Promise<void> => {
    await page.goto("about:blank");
    const pages = 'clients.matchAll({ type: "window", includeUncontrolled: true }).then((list) => list.length)';
    await until(async () => (await worker.evaluate(pages)) === 0, "the page is gone");
  };
  const shown = async (): Promise<{ title: string; body: string; actions: string[] }[]> =>
    await worker.evaluate(
      "registration.getNotifications().then((list) => list.map(({ title, body, actions }) => ({ title, body, actions: (actions ?? []).map((a) => a.title) })))",
    );
  /** Nobody can click a notification of a browser without a screen: the worker gets the event that a click causes. */
  const click = async (action: string): Promise<void> => {
    await worker.evaluate(
      `registration.getNotifications().then((list) => { self.dispatchEvent(new NotificationEvent("notificationclick", { notification: list.find(({ actions }) => actions?.length === 2), action: ${JSON.stringify(action)} })); })`,
    );
  };

  test("the page is an installable app with a worker of its own", async () => {
    await until(() => page.context().serviceWorkers().length === 1, "the worker runs");
    [worker = assert.fail("a worker")] = page.context().serviceWorkers();
    assert.equal(new URL(worker.url()).pathname, "/sw.js");
    const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
    assert.deepEqual(
      installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"),
      [],
    );
    await until(() => registrationId !== "", "the worker is registered");
  });

  test("the device subscribes, chooses what it is notified of, and gets a test notification", async () => {
    // A real subscription needs the service of the browser's maker.
    const subscription = service.subscribe();
    await page.evaluate(
      `PushManager.prototype.getSubscription = async () => null; PushManager.prototype.subscribe = async () => ({ toJSON: () => (${JSON.stringify(subscription)}), unsubscribe: async () => true })`,
    );
    await page.getByRole("button", { name: "Settings" }).first().click();
    await page.getByRole("switch", { name: /^Also while the page is closed/ }).press("Space");
    await page.getByRole("switch", { name: "Push: a turn is done", checked: true }).waitFor();
    await picture(page, "push-settings");
    await checkAccessibility(page, "push settings");
    await page.getByRole("button", { name: "Send a test notification" }).click();
    await deliver(await service.next());
    await until(async () => (await shown()).some(({ body }) => body === "Notifications work on this device."), "the test is shown");
    await page.getByRole("switch", { name: "Push: a turn is done" }).press("Space");
    await page.getByRole("switch", { name: "Push: a turn is done", checked: false }).waitFor();
  });

  test("a waiting command comes with Allow and Decline, and Allow lets it run", async () => {
    await stage.begin(page, "Touch it");
    await leave();
    await deliver(await service.next());
    await until(async () => (await shown()).some(({ actions }) => actions.join() === "Allow,Decline"), "the request is shown");
    const [request] = (await shown()).filter(({ actions }) => actions.length === 2);
    assert.deepEqual([request?.title, request?.body], ["Touch it", "Command: touch allowed.txt"]);
    await click("allow");
    await until(() => existsSync(path.join(stage.workspace, "allowed.txt")), "the command has run");
    await until(async () => (await shown()).some(({ body }) => body === "Allowed: Command: touch allowed.txt"), "it says so");
  });

  test("an answer that comes too late says so, and changes nothing", async () => {
    await page.goto(stage.url);
    await stage.begin(page, "Touch it again");
    const arrived = await service.next();
    await page.getByRole("button", { name: /^Decline/ }).click();
    await idle(page);
    await leave();
    await deliver(arrived);
    await until(async () => (await shown()).some(({ actions }) => actions.length === 2), "the request is shown");
    await click("allow");
    await until(async () => (await shown()).some(({ title }) => title === "Not answered"), "it says that it was too late");
  });

  test("the installed page opens while the manager is away, and says so", async () => {
    await page.goto(stage.url);
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await stage.restart(async () => {
      await page.reload();
      await page.locator("body", { hasText: /cannot be reached|connect|offline/i }).waitFor();
      await picture(page, "push-offline");
    });
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await send(page, "hello");
    await page.getByText("Nothing to do.").waitFor();
    assert.deepEqual(complaints, []);
  });
});
