/** Puts text into the composer from outside, as a command of the editor does. */

const tries = 40;
const pauseMs = 50;

/** Waits for the composer to be drawn; gives up after two seconds. */
function withComposer(use: (field: HTMLTextAreaElement) => void, left = tries): void {
  const field = document.querySelector<HTMLTextAreaElement>("textarea#composer");
  if (field !== null) use(field);
  else if (left > 0) setTimeout(() => withComposer(use, left - 1), pauseMs);
}

export function focusComposer(): void {
  withComposer((field) => field.focus());
}

/** Adds at the end, in a paragraph of its own, and lets the page hear of it as of typing. */
export function insertText(text: string): void {
  withComposer((field) => {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    // The field belongs to React, which hears only what the browser itself inserts.
    document.execCommand("insertText", false, field.value === "" ? text : `\n\n${text}`);
  });
}
