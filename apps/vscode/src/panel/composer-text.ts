/** Inserts text into the composer from outside, for editor commands. */

const tries = 40;
const pauseMs = 50;

/** Waits for the composer to be rendered; gives up after two seconds. */
function withComposer(use: (field: HTMLTextAreaElement) => void, left = tries): void {
  const field = document.querySelector<HTMLTextAreaElement>("textarea#composer");
  if (field !== null) use(field);
  else if (left > 0) setTimeout(() => withComposer(use, left - 1), pauseMs);
}

export function focusComposer(): void {
  withComposer((field) => field.focus());
}

/** Appends the text as its own paragraph, and triggers the same event as typing. */
export function insertText(text: string): void {
  withComposer((field) => {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    // The field is controlled by React, which only notices input that the browser itself inserts.
    document.execCommand("insertText", false, field.value === "" ? text : `\n\n${text}`);
  });
}
