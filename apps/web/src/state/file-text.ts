/** A file's text in an editor that knows only line feeds. */

/** The line ends of a file, if it uses one kind throughout. */
export function lineEnds(text: string): "\n" | "\r\n" | "mixed" {
  const windows = text.split("\r\n").length - 1;
  if (windows === 0) return text.includes("\r") ? "mixed" : "\n";
  return windows === text.split("\n").length - 1 && !/\r(?!\n)/.test(text) ? "\r\n" : "mixed";
}

/** Text fields turn every line end into a line feed. */
export const forEditing = (text: string): string => text.replace(/\r\n?/g, "\n");

/** The edited text with the line ends that the file had. */
export const forSaving = (edited: string, before: string): string => (lineEnds(before) === "\r\n" ? edited.replace(/\n/g, "\r\n") : edited);

/** Why a text cannot be edited without changing more than the person does. */
export const whyNotEditable = (text: string): string | null =>
  lineEnds(text) === "mixed" ? "It has several kinds of line ends, and saving would change them." : null;
