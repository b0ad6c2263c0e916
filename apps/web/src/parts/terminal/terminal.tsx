/** A command's output as a terminal would colour it: the last lines while it runs, all of it on demand. */
import { memo, type ReactElement, useLayoutEffect, useMemo, useRef, useState } from "react";
import { saveFile } from "../../ui/save-file.ts";
import { CopyButton } from "../copy-button.tsx";
import { WithFileLinks } from "../transcript/file-links.tsx";
import { type Line, parseAnsi, plainText } from "./ansi.ts";

const shownAtFirst = 14;
/** More lines than this are offered as a file instead of being drawn. */
const drawnAtMost = 2000;

export const TerminalOutput = memo(function TerminalOutput({ output, live }: { output: string; live: boolean }): ReactElement | null {
  const [all, setAll] = useState(false);
  const lines = useMemo(() => parseAnsi(output), [output]);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (live && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, live]);
  if (output.trim() === "") return live ? <p className="terminal-quiet">No output yet</p> : null;
  const shown = all ? lines.slice(-drawnAtMost) : lines.slice(-shownAtFirst);
  const hidden = lines.length - shown.length;
  return (
    <div className="terminal">
      {hidden > 0 ? (
        <div className="terminal-more">
          {all ? (
            <span>{hidden} earlier lines are in the download</span>
          ) : (
            <button type="button" className="link-button" onClick={() => setAll(true)}>
              Show {hidden} earlier lines
            </button>
          )}
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: output that scrolls must be reachable by keyboard */}
      <pre ref={box} className="terminal-text" tabIndex={0}>
        {shown.map((line, i) => (
          <OutputLine key={lines.length - shown.length + i} line={line} last={i === shown.length - 1} />
        ))}
      </pre>
      <div className="terminal-tools">
        <CopyButton text={() => allOf(output)} label="Copy output" />
        {lines.length > 200 ? (
          <button
            type="button"
            className="link-button"
            onClick={() => saveFile(new Blob([allOf(output)], { type: "text/plain" }), "output.txt")}
          >
            Download all
          </button>
        ) : null}
      </div>
    </div>
  );
});

const OutputLine = memo(function OutputLine({ line, last }: { line: Line; last: boolean }): ReactElement {
  return (
    <>
      {line.map((span, i) =>
        span.style === "" && span.color === undefined && span.background === undefined ? (
          <WithFileLinks key={i} text={span.text} />
        ) : (
          <span key={i} className={span.style} style={{ color: span.color, backgroundColor: span.background }}>
            <WithFileLinks text={span.text} />
          </span>
        ),
      )}
      {last ? null : "\n"}
    </>
  );
});

/** The complete output, including what is too long to show. */
const allOf = (output: string): string => plainText(parseAnsi(output, Number.POSITIVE_INFINITY));
