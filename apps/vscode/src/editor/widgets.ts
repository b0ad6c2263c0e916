/** The editor's quick picks and input boxes as steps of a question: Back, "answer in the panel", Escape cancels, and closed from outside. */
import { type QuickInput, type QuickInputButton, QuickInputButtons, type QuickPick, type QuickPickItem, ThemeIcon, window } from "vscode";
import { optionsOf, type Step, type StepEnd, type StepWidgets } from "../host/steps.ts";

interface Option extends QuickPickItem {
  readonly value: string;
  readonly isOther: boolean;
}

const laterButton: QuickInputButton = { iconPath: new ThemeIcon("layout-sidebar-left"), tooltip: "Answer later, in the panel" };

export function widgetsFor(signal: AbortSignal): StepWidgets {
  return {
    pick: (step) => pick(step, signal),
    write: (step, problem) => write(step, problem, signal),
  };
}

type Picked = { readonly picked: readonly string[]; readonly other: boolean };

async function pick(step: Step, signal: AbortSignal): Promise<StepEnd<Picked>> {
  const { field, value } = step;
  const input = window.createQuickPick<Option>();
  dress(input, step);
  const many = field.input === "many";
  input.placeholder = many ? "Choose any number, then press Enter" : "Choose one";
  input.canSelectMany = many;
  input.matchOnDescription = true;
  const options = optionsOf(field).map(
    (option): Option => ({ label: option.label, ...detail(option.description), value: option.value, isOther: false }),
  );
  if (field.allowOther) options.push({ label: "Other…", description: "write your own answer", value: "", isOther: true });
  input.items = options;
  const before = options.filter((option) => value.picked.includes(option.value) || (option.isOther && value.other));
  if (many) input.selectedItems = before;
  else if (before.length > 0) input.activeItems = before;
  return run(input, signal, () => chosen(input, many));
}

function chosen(input: QuickPick<Option>, many: boolean): Picked | undefined {
  const items = many ? input.selectedItems : input.selectedItems.length > 0 ? input.selectedItems : input.activeItems;
  if (items.length === 0) return undefined;
  return {
    picked: items.filter((item) => !item.isOther && item.value !== "").map((item) => item.value),
    other: items.some((item) => item.isOther),
  };
}

async function write(step: Step, problem: (text: string) => string | null, signal: AbortSignal): Promise<StepEnd<string>> {
  const input = window.createInputBox();
  dress(input, step);
  input.prompt = step.field.help ?? "";
  input.placeholder = step.field.required ? "Your answer" : "Your answer (optional)";
  input.password = step.field.input === "secret";
  input.value = step.value.text;
  input.onDidChangeValue((text) => {
    input.validationMessage = text === "" ? undefined : (problem(text) ?? undefined);
  });
  return run(input, signal, () => {
    const wrong = problem(input.value);
    input.validationMessage = wrong ?? undefined;
    return wrong === null ? input.value : undefined;
  });
}

function dress(input: QuickInput & { buttons: readonly QuickInputButton[] }, step: Step): void {
  input.title = `${step.title} · ${step.field.label}`;
  input.ignoreFocusOut = true;
  if (step.total > 1) {
    input.step = step.number;
    input.totalSteps = step.total;
  }
  input.buttons = step.canGoBack ? [QuickInputButtons.Back, laterButton] : [laterButton];
}

type Widget = QuickInput & {
  onDidAccept(listener: () => void): unknown;
  onDidTriggerButton(listener: (button: QuickInputButton) => void): unknown;
};

/** Shows a widget until it is answered, dismissed or closed. `read` returns the answer, or undefined while there is none. */
function run<T>(input: Widget, signal: AbortSignal, read: () => T | undefined): Promise<StepEnd<T>> {
  return new Promise((resolve) => {
    const close = (): void => input.hide();
    const end = (how: StepEnd<T>): void => {
      resolve(how);
      signal.removeEventListener("abort", close);
      input.dispose();
    };
    input.onDidAccept(() => {
      const value = read();
      if (value !== undefined) end({ kind: "done", value });
    });
    input.onDidTriggerButton((button) => end({ kind: button === QuickInputButtons.Back ? "back" : "later" }));
    // Hidden by us means that somebody else has answered; hidden by the user means that they cancelled.
    input.onDidHide(() => end({ kind: signal.aborted ? "later" : "cancel" }));
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) return end({ kind: "later" });
    input.show();
  });
}

const detail = (text: string | null): { detail?: string } => (text === null || text === "" ? {} : { detail: text });
