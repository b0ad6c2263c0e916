/** Code without colours. Long code is drawn in parts, so that lines which stream in make the browser lay out the last part only. */
import { memo, type ReactElement, useRef } from "react";
import { type Cut, cutCode } from "./cut-code.ts";

export function PlainCode({ code }: { code: string }): ReactElement {
  const last = useRef<Cut>(undefined);
  const cut = cutCode(last.current, code);
  last.current = cut;
  if (cut.parts.length === 0) return <>{code}</>;
  return (
    <>
      {cut.parts.map((part, i) => (
        <CodePart key={i} text={part.text} lines={part.lines} />
      ))}
      <span className="code-part">{code.slice(cut.end)}</span>
    </>
  );
}

const CodePart = memo(function CodePart({ text, lines }: { text: string; lines: number }): ReactElement {
  return (
    <span className="code-part code-part-full" style={{ containIntrinsicBlockSize: `auto ${lines}lh` }}>
      {text}
    </span>
  );
});
