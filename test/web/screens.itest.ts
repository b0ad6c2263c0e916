/** Every screen, card, panel and dialog at every size and in both themes; where dialogs put the focus; what a view-only device sees. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { StandInFront } from "../support/stand-in-front.ts";
import { checkAccessibility, picture, until, watchConsole } from "./page.ts";
import { composer, idle, Stage, send, sizes } from "./stage.ts";

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
          - { id: colour, header: Colour, question: "Which colour?", options: [{ label: Red, description: "Warm" }, { label: Green, description: "Calm" }] }
          - { id: code, header: Code, question: "The code?", isSecret: true, options: [] }
      - say: "Thank you."
  - user: write a note
    steps:
      - call: mcp__notes__write
        with: { name: "a note", depth: { of: [1, 2] } }
      - say: "Written."
  - user: think first
    steps:
      - say: "<proposed_plan>\\n1. Look around.\\n2. Turn left.\\n</proposed_plan>\\n"
  - user: edit by command
    steps:
      - warn: "80 % of this month's budget is used."
      - plan: [{ step: Read, status: completed }, { step: Write, status: in_progress }, Test]
      - run: "sed -i s/old/new/ edited.txt"
      - say: "# It is done\\n\\nHere is *how*, with \`code\` and a table:\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |\\n\\n\`\`\`ts\\nconst answer = 42;\\n\`\`\`\\n"
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;
const fixture = path.resolve(import.meta.dirname, "../support/mcp-fixture.ts");
const config = `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "plain"]\nstartup_timeout_sec = 60\n`;
/** The settings pages, by their paths; a test compares the list with what the page offers. */
const settingsTabs = [
  "general",
  "keys",
  "account",
  "cost",
  "servers",
  "skills",
  "templates",
  "schedules",
  "hooks",
  "plugins",
  "rules",
  "fleet",
  "devices",
  "sharing",
  "audit",
];
/** A phone's height while its keyboard is shown: the page asks browsers to resize for it (interactive-widget in index.html). */
const aboveKeyboard = { width: 390, height: 470 };

const panelOf = (page: Page) => page.getByRole("complementary", { name: "Session details" });

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

describe("every screen", skip, () => {
  let front: StandInFront;
  let stage: Stage;
  let page: Page;
  let complaints: string[] = [];
  /** The paths of the sessions that were started, by their first message. */
  const begun = new Map<string, string>();

  before(async () => {
    front = await StandInFront.open();
    stage = await Stage.open(scenario, config, { fleet: front.fleet() });
    writeFileSync(path.join(stage.workspace, "edited.txt"), "an old line\n");
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      [...identity, "commit", "-qm", "first"],
    ])
      execFileSync("git", args, { cwd: stage.workspace, stdio: "pipe" });
    page = await stage.newPage();
    complaints = watchConsole(page);
  });
  after(async () => {
    await stage.close();
    await front.close();
  });

  const settled = async (on = page): Promise<void> => {
    await on.locator("main h1").first().waitFor();
    await on.locator("main").getByText("Loading…").first().waitFor({ state: "detached" });
  };
  /** Navigates as a click in the page does, without a full reload. */
  const visit = async (address: string, on = page): Promise<void> => {
    await on.evaluate(`new Promise((drawn) => {
      history.pushState(null, "", ${JSON.stringify(address)});
      dispatchEvent(new PopStateEvent("popstate"));
      requestAnimationFrame(() => requestAnimationFrame(drawn));
    })`);
    await settled(on);
  };
  /** Opens the session whose first message is this text, starting it the first time. */
  const session = async (text: string): Promise<void> => {
    const known = begun.get(text);
    if (known === undefined) await stage.begin(page, text);
    else await visit(known);
    await page.locator(".turn").first().waitFor();
    begun.set(text, new URL(page.url()).pathname);
  };
  const waiting = async (text: string, heading: string): Promise<void> => {
    await session(text);
    await page.getByRole("region", { name: heading }).waitFor();
  };
  const answered = async (): Promise<void> => {
    await session("edit by command");
    const allow = page.getByRole("button", { name: /^Allow once/ });
    const done = page.getByRole("heading", { name: "It is done" });
    await allow.or(done).first().waitFor();
    if ((await allow.count()) > 0) await allow.click();
    await done.waitFor();
    await idle(page);
  };
  const inPanel = async (tab: string): Promise<void> => {
    await answered();
    const panel = page.getByRole("complementary", { name: "Session details" });
    if ((await panel.count()) === 0) await page.getByRole("button", { name: "Changes", exact: true }).click();
    await panel.getByRole("tab", { name: tab }).click();
    if (tab === "Changes") await panel.getByText("an new line").waitFor();
  };
  const closePanel = async (): Promise<void> => page.getByRole("button", { name: "Close the panel" }).click();
  const command = async (text: string): Promise<void> => {
    await answered();
    await send(page, text);
    await page.getByRole("dialog").waitFor();
  };
  const dismiss = async (): Promise<void> => {
    await page.keyboard.press("Escape");
    await page.locator("dialog[open], .menu").first().waitFor({ state: "detached" });
  };

  interface Screen {
    readonly show: () => Promise<void>;
    readonly leave?: () => Promise<void>;
    /** What must be visible, directly or after scrolling its own box, while the keyboard is shown. */
    readonly typing?: readonly string[];
    /** What must be visible on a phone without scrolling. */
    readonly seen?: string;
  }
  const screens: Readonly<Record<string, Screen>> = {
    home: { show: () => stage.home(page), typing: ["#composer"] },
    "a session": { show: answered, typing: ["#composer"] },
    "a plan to carry out": {
      show: async () => {
        if (!begun.has("think first")) {
          await stage.home(page);
          await page.getByRole("button", { name: "Plan first" }).click();
          await send(page, "think first");
          await page.locator(".turn").first().waitFor();
          begun.set("think first", new URL(page.url()).pathname);
        }
        await session("think first");
        await page.getByRole("button", { name: "Carry out this plan" }).waitFor();
      },
      typing: ["#composer"],
    },
    "three commands": {
      show: () => waiting("three commands", "Run this command?"),
      typing: ["#composer", ".card-buttons button"],
    },
    "a change of files": { show: () => waiting("patch please", "Apply these changes?"), typing: ["#composer", ".card-buttons button"] },
    "a questionnaire": {
      show: () => waiting("ask me", "The agent has a question"),
      typing: ["#composer", "input[type=password]", ".card-buttons button"],
    },
    "an MCP tool": { show: () => waiting("write a note", "Let notes run write?"), typing: ["#composer", ".card-buttons button"] },
    "do this instead": {
      show: async () => {
        await waiting("three commands", "Run this command?");
        await page.getByRole("button", { name: "Do this instead…" }).click();
      },
      leave: () => page.getByRole("button", { name: "Back", exact: true }).click(),
      typing: [".card-note textarea", ".card-note button"],
    },
    inbox: { show: () => visit("/inbox").then(() => page.locator("[data-request]").nth(3).waitFor()) },
    changes: { show: () => inPanel("Changes"), leave: closePanel },
    "working tree": {
      show: async () => {
        await inPanel("Changes");
        await panelOf(page).getByRole("button", { name: "Working tree" }).click();
        await panelOf(page)
          .getByRole("heading", { name: /^Not staged/ })
          .waitFor();
      },
      leave: async () => {
        await panelOf(page).getByRole("button", { name: "Last turn" }).click();
        await closePanel();
      },
    },
    "commit dialog": {
      show: async () => {
        await answered();
        await page.keyboard.press("Alt+k");
        await page.getByRole("dialog").getByText("Then", { exact: true }).waitFor();
      },
      leave: dismiss,
      typing: ["dialog textarea", "dialog [type=submit]"],
    },
    "undo dialog": {
      show: async () => {
        await answered();
        await page.keyboard.press("Alt+z");
        await page.getByRole("dialog").waitFor();
      },
      leave: dismiss,
    },
    "the plan": { show: () => inPanel("Plan"), leave: closePanel },
    "no sub-agents": { show: () => inPanel("Agents"), leave: closePanel },
    history: { show: () => inPanel("History").then(() => page.getByRole("list", { name: "Time line" }).waitFor()), leave: closePanel },
    details: { show: () => inPanel("Details"), leave: closePanel },
    search: {
      show: async () => {
        await answered();
        await visit("/search/done");
        await page.getByRole("list", { name: "Sessions found" }).getByRole("button").first().waitFor();
      },
      typing: [".search-page input[type=search]"],
    },
    ...Object.fromEntries(
      settingsTabs.map((tab): [string, Screen] => [
        `settings, ${tab}`,
        { show: () => visit(`/settings/${tab}`), seen: ".settings-tabs [aria-current]" },
      ]),
    ),
    "drain dialog": {
      show: async () => {
        await visit("/settings/fleet");
        await page.getByRole("button", { name: "Drain host-1" }).click();
        await page.getByRole("dialog", { name: "Drain this worker?" }).waitFor();
      },
      leave: dismiss,
    },
    "a session that is gone": { show: () => visit("/s/00000000-0000-0000-0000-000000000000") },
    palette: {
      show: async () => {
        await answered();
        await page.keyboard.press("Control+k");
        await page.locator(".palette-row").first().waitFor();
      },
      leave: dismiss,
      typing: [".palette input"],
    },
    help: {
      show: async () => {
        await visit("/inbox");
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor();
      },
      leave: dismiss,
    },
    "rename dialog": { show: () => command("/rename"), leave: dismiss, typing: ["dialog input", "dialog [type=submit]"] },
    "review dialog": { show: () => command("/review"), leave: dismiss, typing: ["dialog input", "dialog [type=submit]"] },
    "permissions list": {
      show: async () => {
        await answered();
        await page.getByRole("button", { name: /^Permissions/ }).click();
        await page.getByRole("listbox").waitFor();
      },
      leave: dismiss,
    },
  };

  /** Runs in the page: whether the whole element is visible, within the window and every scrolling ancestor. */
  const inSight = `(element) => {
    element.scrollIntoView({ block: "nearest" });
    const box = element.getBoundingClientRect();
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowY === "visible" && style.overflowX === "visible") continue;
      const frame = at.getBoundingClientRect();
      if (box.top < frame.top - 1 || box.bottom > frame.bottom + 1 || box.left < frame.left - 1 || box.right > frame.right + 1) return false;
    }
    return box.height > 0 && box.top >= -1 && box.bottom <= innerHeight + 1 && box.left >= -1 && box.right <= innerWidth + 1;
  }`;
  const isSeen = (selector: string): Promise<boolean> =>
    page.evaluate(`(() => {
      const { left, right } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`);
  const notInSight = (selectors: readonly string[]): Promise<string[]> =>
    page.evaluate(`${JSON.stringify(selectors)}.filter((selector) => {
      const found = [...document.querySelectorAll(selector)];
      return found.length === 0 || !found.every(${inSight});
    })`);
  const overflow = `document.documentElement.scrollWidth > innerWidth ? document.documentElement.scrollWidth : 0`;

  /** Apart from colours, the rules find the same in both themes, and colours are the same at every size without a drawer. */
  const looks = [
    ["desktop", "light", "all"],
    ["tablet", "dark", "all"],
    ["phone", "light", "all"],
    ["phone", "dark", "colours"],
  ] as const;

  for (const [name, { show, leave, typing = [], seen }] of Object.entries(screens))
    test(`${name}: whole, readable and accessible at every size, in light and dark, with a keyboard out`, async () => {
      await page.setViewportSize(sizes.desktop);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await show();
      for (const [size, colorScheme, rules] of looks) {
        await page.setViewportSize(sizes[size]);
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await checkAccessibility(page, `${name}, ${size}, ${colorScheme}`, rules);
        await picture(page, `screen-${name.replaceAll(/\W+/g, "-")}-${size}-${colorScheme}`);
        assert.equal(await page.evaluate(overflow), 0, `${name} has to be scrolled sideways at ${size} size`);
      }
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      if (seen !== undefined) {
        await visit("/inbox");
        await show();
        assert.ok(await isSeen(seen), `${seen} is in sight`);
      }
      await page.setViewportSize(aboveKeyboard);
      await until(async () => (await notInSight(typing)).length === 0, `${typing.join(", ")} above the keyboard`).catch(async () =>
        assert.deepEqual(await notInSight(typing), [], `${name} with a keyboard out`),
      );
      await page.setViewportSize(sizes.desktop);
      await leave?.();
    });
  test("every page of the settings was among them", async () => {
    await visit("/settings/general");
    const addresses: string[] = [];
    for (const button of await page.getByRole("navigation", { name: "Settings" }).getByRole("button").all()) {
      await button.click();
      addresses.push(new URL(page.url()).pathname.replace("/settings/", ""));
    }
    assert.deepEqual(addresses, settingsTabs);
  });

  test("the page itself had nothing to complain about", () => assert.deepEqual(complaints, []));

  /** Where the focus is: in which dialog, and whether on its × button. */
  const focus = `(() => {
    const at = document.activeElement;
    return { id: at.id, tag: at.tagName, label: at.getAttribute("aria-label"), isInDialog: at.closest("dialog") !== null };
  })()`;
  interface Focus {
    readonly id: string;
    readonly tag: string;
    readonly label: string | null;
    readonly isInDialog: boolean;
  }
  const menu = (entry: string) => async (): Promise<void> => {
    await page.getByRole("button", { name: "Session actions" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  const project = (entry: string) => async (): Promise<void> => {
    await page.getByRole("button", { name: "Project Garden" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  const slash = (text: string) => (): Promise<void> => send(page, text);
  /** How each dialog is opened, and what is focused in it first. */
  const dialogs: readonly (readonly [open: () => Promise<void>, name: string, takes: "INPUT" | "BUTTON" | "DIALOG"])[] = [
    [slash("/rename"), "Rename session", "INPUT"],
    [menu("Rename"), "Rename session", "INPUT"],
    [slash("/review"), "Review", "INPUT"],
    [menu("Review…"), "Review", "INPUT"],
    [menu("Undo the last turn…"), "Go back to before this?", "BUTTON"],
    [menu("Delete"), "Delete this session?", "INPUT"],
    [() => page.getByRole("button", { name: "New project" }).click(), "New project", "INPUT"],
    [project("Rename project"), "Rename project", "INPUT"],
    [project("Remove project"), "Delete this project?", "BUTTON"],
    [() => page.keyboard.press("Control+k"), "Command palette", "INPUT"],
    [slash("/help"), "Keys", "DIALOG"],
  ];

  test("every dialog puts the focus where typing belongs, and gives it back", async () => {
    await stage.manager.call("POST /api/projects", { name: "Garden" });
    await answered();
    await page.getByRole("button", { name: "Group by project" }).click();
    for (const [open, name, takes] of dialogs) {
      await composer(page).focus();
      await open();
      const dialog = page.getByRole("dialog", { name });
      await dialog.waitFor();
      const inside = await page.evaluate<Focus>(focus);
      assert.deepEqual([inside.isInDialog, inside.tag], [true, takes], `${name}: ${JSON.stringify(inside)}`);
      assert.notEqual(inside.label, "Close", `${name}: the key that sends would close it`);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      const outside = await page.evaluate<Focus>(focus);
      assert.ok(outside.id === "composer" || outside.tag === "BUTTON", `${name}: then the focus is on ${JSON.stringify(outside)}`);
    }
    await composer(page).fill("");
  });

  test("a device that may only look has nothing to press that would change anything, on any screen", async () => {
    const looker = await stage.newPage("read");
    const refused: string[] = [];
    let pressed = "";
    looker.on("request", (request) => {
      if (request.method() !== "GET" && request.url().includes("/api/")) refused.push(`${pressed}: ${request.method()} ${request.url()}`);
    });
    looker.on("response", (response) => {
      if (response.status() === 403) refused.push(`${pressed}: 403 for ${response.url()}`);
    });
    /** Runs in the page: the clickable elements, except sign-out; those on every screen are named without their address. */
    const pressable = `[...document.querySelectorAll("button:enabled, [role=menuitem], [role=option], [role=switch], input[type=checkbox]:enabled")]
      .filter((e) => e.getAttribute("aria-disabled") !== "true" && !/^Sign out$/.test(e.textContent.trim()) && e.getBoundingClientRect().width > 0)
      .map((e) => ({ e, name: (e.closest("main") === null || e.closest(".settings-tabs") !== null ? "" : location.pathname + " ") + (e.getAttribute("aria-label") ?? e.textContent).trim().slice(0, 60) }))`;
    const names = (): Promise<string[]> => looker.evaluate(`${pressable}.map(({ name }) => name)`);
    const press = (name: string): Promise<boolean> =>
      looker.evaluate(`(() => {
        const found = ${pressable}.find((one) => one.name === ${JSON.stringify(name)});
        found?.e.click();
        return found !== undefined;
      })()`);
    const done = new Set<string>();
    const addresses = ["/", "/inbox", ...begun.values(), ...settingsTabs.map((t) => `/settings/${t}`)];
    for (const address of addresses) {
      await visit(address, looker);
      if (address.startsWith("/s/")) await looker.locator(".turn").first().waitFor();
      const found = await names();
      for (const name of found.filter((one) => !done.has(one))) {
        done.add(name);
        pressed = name;
        if (!(await press(name))) continue;
        for (const inner of (await names()).filter((other) => !found.includes(other) && !done.has(other))) {
          done.add(inner);
          pressed = `${name}, ${inner}`;
          await press(inner);
        }
        await looker.keyboard.press("Escape");
        if (new URL(looker.url()).pathname !== address) await visit(address, looker);
      }
    }
    assert.ok(done.size > 40, `${done.size} things were pressed`);
    assert.deepEqual(refused, []);
    await looker.context().close();
  });
});
