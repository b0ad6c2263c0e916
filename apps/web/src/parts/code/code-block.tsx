/** A block of code: language name, copy button, colours once they are loaded. */
import { memo, type ReactElement, useEffect, useState } from "react";
import { CopyButton } from "../copy-button.tsx";
import { type ColorLines, colorize, languageOf } from "./highlight.ts";
import { PlainCode } from "./plain-code.tsx";

/** A text's colours once they are computed; while the text still grows it stays plain, so that nothing is highlighted twice. */
function useColors(code: string, language: string | undefined, settled: boolean): ColorLines | undefined {
  const [lines, setLines] = useState<{ code: string; lines: ColorLines }>();
  useEffect(() => {
    if (language === undefined || !settled) return;
    let wanted = true;
    void colorize(code, language).then((result) => {
      if (wanted && result !== undefined) setLines({ code, lines: result });
    });
    return () => {
      wanted = false;
    };
  }, [code, language, settled]);
  return lines?.code === code ? lines.lines : undefined;
}

export const CodeBlock = memo(function CodeBlock({
  code,
  language,
  settled = true,
}: {
  code: string;
  language: string;
  settled?: boolean;
}): ReactElement {
  const known = languageOf(language);
  const lines = useColors(code, known, settled);
  return (
    <figure className="code-block">
      <figcaption className="code-head">
        <span>{language.trim().split(/\s/)[0] || "text"}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard */}
      <pre className="code" tabIndex={0}>
        <code>
          {lines === undefined ? (
            <PlainCode code={code} />
          ) : (
            lines.map((line, i) => <ColorLine key={i} line={line} last={i === lines.length - 1} />)
          )}
        </code>
      </pre>
    </figure>
  );
});

function ColorLine({ line, last }: { line: ColorLines[number]; last: boolean }): ReactElement {
  return (
    <>
      {line.map((span, i) => (
        <span key={i} style={span.color === null ? undefined : { color: span.color, fontStyle: span.italic ? "italic" : undefined }}>
          {span.text}
        </span>
      ))}
      {last ? null : "\n"}
    </>
  );
}
