/** `/theme`, `/statusline`, `/keymap`, `/vim`: how the terminal client looks and which keys it takes. Choices are kept in the server's config.toml. */
import { createForm, type Field } from "../ask/form.ts";
import { createPicker } from "../ask/picker.ts";
import { keyHelps } from "../compose/keymap.ts";
import { startVim } from "../compose/vim.ts";
import { readStatusLine, statusItems } from "../draw/status-line.ts";
import type { Shell } from "./shell.ts";

const themes: readonly { readonly id: string; readonly label: string; readonly detail: string }[] = [
  { id: "auto", label: "As the terminal", detail: "dark or light after its background, which is asked for at the next start" },
  { id: "dark", label: "Dark", detail: "for a dark background" },
  { id: "light", label: "Light", detail: "for a light background" },
  { id: "ansi-dark", label: "Dark, the terminal's colours", detail: "only the sixteen that the terminal defines" },
  { id: "ansi-light", label: "Light, the terminal's colours", detail: "only the sixteen that the terminal defines" },
];

async function keep(shell: Shell, keyPath: string, value: unknown): Promise<void> {
  await shell.client().call("config/value/write", { keyPath, value, mergeStrategy: "replace" });
}

export async function chooseTheme(shell: Shell, argument: string): Promise<void> {
  const id = argument === "" ? await shell.pick(createPicker({ title: "Which colours?", items: themes })) : argument;
  if (id === undefined) return;
  const theme = themes.find((known) => known.id === id);
  if (theme === undefined) return shell.store.setUi({ hint: `There is no theme ${id}: ${themes.map((known) => known.id).join(", ")}` });
  shell.switchTheme(id);
  await keep(shell, "tui.theme", id === "auto" ? null : id);
  shell.store.note("success", `Theme: ${theme.label}`, theme.detail);
}

export async function chooseStatusLine(shell: Shell): Promise<void> {
  const field: Field = {
    id: "items",
    header: "Status line",
    question: "What shall the line below the message show?",
    detail: "in the order in which you choose it; nothing chosen is the standard line",
    type: "multi",
    options: statusItems.map(({ id, text }) => ({ value: id, label: id, description: text })),
    allowOther: false,
    isSecret: false,
    isRequired: false,
  };
  const given = await shell.fill(createForm("Status line", [field], { items: shell.store.ui.statusLine ?? [] }));
  if (given === undefined) return;
  const { items } = readStatusLine(given["items"] ?? []);
  shell.store.setUi({ statusLine: items.length === 0 ? undefined : items });
  await keep(shell, "tui.status_line", items.length === 0 ? null : items);
}

/** The keys with the names that change them in config.toml. */
export async function showKeymap(shell: Shell): Promise<void> {
  const rows = keyHelps(shell.store.ui.keymap).map(({ path, keys, help }) => [keys === "" ? "none" : keys, `${help}  (${path})`] as const);
  const example = [
    "change",
    '[tui.keymap.global]\nopen_transcript = ["ctrl-t", "ctrl-x"] in config.toml; [] leaves an action without a key',
  ] as const;
  shell.store.print([{ kind: "card", title: "Keys", rows: [...rows, example] }]);
}

export async function toggleVim({ store }: Shell): Promise<void> {
  const vim = store.ui.vim === undefined ? startVim : undefined;
  store.setUi({ vim, hint: vim === undefined ? "Vim keys are off" : "Vim keys are on: esc for normal mode, i to write" });
}
