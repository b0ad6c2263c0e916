/** What the terminal library draws: finished text once, above; the changing part, below; and the keys that arrive. */
import { Box, Static, type SuspendTerminal, Text, useApp, useCursor, useInput, usePaste } from "ink";
import { createElement, type ReactElement, useEffect } from "react";
import { type Key, keysFrom } from "../compose/key.ts";

export interface ViewProps {
  /** Printed once for each new number. */
  readonly printed: { readonly number: number; readonly text: string };
  /** Painted lines. */
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
  readonly onKey: (key: Key) => void;
  readonly onPaste: (text: string) => void;
  /** Passes on the function that lends the terminal to another program. */
  readonly onReady: (suspend: SuspendTerminal) => void;
}

export function View({ printed, lines, cursor, onKey, onPaste, onReady }: ViewProps): ReactElement {
  const { suspendTerminal } = useApp();
  const { setCursorPosition } = useCursor();
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  setCursorPosition(cursor);
  useInput((input, key) => {
    for (const one of keysFrom(input, key)) onKey(one);
  });
  usePaste(onPaste);
  // A new key creates a new list: printed text is not kept in memory.
  const list = { key: `printed ${printed.number}`, items: printed.text === "" ? [] : [printed.text], children: printedText };
  return createElement(
    Box,
    { flexDirection: "column" },
    createElement(Static<string>, list),
    ...lines.map((line, i) => createElement(Text, { key: `line ${i}`, wrap: "truncate-end" }, line === "" ? " " : line)),
  );
}

const printedText = (text: string): ReactElement => createElement(Text, { key: "text" }, text);
