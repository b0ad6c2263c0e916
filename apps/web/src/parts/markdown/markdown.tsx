/** Shows markdown that a model wrote: React elements from tokens, no HTML, no remote content, links that show where they go. */
import type { Token, Tokens } from "marked";
import { memo, type ReactElement, type ReactNode, useRef } from "react";
import { CodeBlock } from "../code/code-block.tsx";
import { advance, type Blocks, decodeEntities } from "./blocks.ts";
import { type Groups, groupsOf } from "./groups.ts";
import type { CutList } from "./growing.ts";
import { Fragmented, inline, inlineToken, maxDepth } from "./inline.tsx";
import { useLaidOut } from "./laid-out.ts";
import { Table } from "./table.tsx";

/** `settled` is false while the text still streams in. */
export function Markdown({ text, settled = true }: { text: string; settled?: boolean }): ReactElement {
  const last = useRef<Blocks>(undefined);
  const blocks = advance(last.current, text);
  last.current = blocks;
  const lastGroups = useRef<Groups>(undefined);
  const groups = groupsOf(lastGroups.current, blocks.frozen);
  lastGroups.current = groups;
  const rest = [...blocks.frozen.slice(groups.grouped), ...blocks.open];
  const settledCount = settled ? rest.length : blocks.frozen.length - groups.grouped;
  return (
    <div className="markdown" dir="auto">
      {groups.full.map((tokens, i) => (
        <Part key={i} tokens={tokens} settledCount={tokens.length} isFull />
      ))}
      {rest.length === 0 ? null : <Part key={groups.full.length} tokens={rest} settledCount={settledCount} isFull={false} />}
    </div>
  );
}

interface PartProps {
  readonly tokens: readonly Token[];
  /** How many of them do not change any more. */
  readonly settledCount: number;
  /** A full part gets no further blocks. */
  readonly isFull: boolean;
}

const Part = memo(function Part({ tokens, settledCount, isFull }: PartProps): ReactElement {
  const isLaidOut = useLaidOut(isFull);
  return (
    <div className={isLaidOut ? "md-part md-part-full" : "md-part"}>
      {tokens.map((token, i) => (
        <Block key={i} token={token} settled={i < settledCount} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ token, settled }: { token: Token; settled: boolean }): ReactNode {
  return block(token, settled, 0);
});

function block(token: Token, settled: boolean, depth: number): ReactNode {
  if (depth > maxDepth) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      // Headings in a message rank below the page's own headings.
      const Tag = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3" | "h4" | "h5" | "h6";
      return (
        <Tag dir="auto" className={`md-h md-h${(token as Tokens.Heading).depth}`}>
          {inline(token.tokens, depth)}
        </Tag>
      );
    }
    case "paragraph":
      return <p dir="auto">{inline(token.tokens, depth)}</p>;
    case "code":
      return <CodeBlock code={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} settled={settled} />;
    case "blockquote":
      return <blockquote dir="auto">{children(token.tokens, settled, depth)}</blockquote>;
    case "list":
      return <List token={token as Tokens.List} settled={settled} depth={depth} />;
    case "table":
      return <Table token={token as Tokens.Table} settled={settled} depth={depth} />;
    case "hr":
      return <hr />;
    case "html":
      return (
        <p className="md-html" dir="auto">
          {token.raw}
        </p>
      );
    case "text":
      return token.tokens === undefined ? decodeEntities((token as Tokens.Text).text) : inline(token.tokens, depth);
    default:
      return inlineToken(token, depth);
  }
}

const children = (tokens: readonly Token[] | undefined, settled: boolean, depth: number): ReactNode =>
  tokens?.map((t, i) => <Fragmented key={i}>{block(t, settled, depth + 1)}</Fragmented>);

function List({ token, settled, depth }: { token: CutList; settled: boolean; depth: number }): ReactElement {
  const items = token.items.map((item, i) => (
    <li key={i} dir="auto" className={item.task ? "md-task" : undefined}>
      {item.task ? (
        <span className="md-check" role="img" aria-label={item.checked === true ? "Done" : "Open"} data-checked={item.checked} />
      ) : null}
      {children(
        item.tokens.filter((t) => t.type !== "checkbox"),
        settled,
        depth,
      )}
    </li>
  ));
  const className = token.goesOn === true ? "md-goes-on" : undefined;
  return token.ordered ? (
    <ol className={className} start={token.start === "" ? undefined : token.start}>
      {items}
    </ol>
  ) : (
    <ul className={className}>{items}</ul>
  );
}
