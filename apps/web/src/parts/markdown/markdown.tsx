/** Shows markdown that a model wrote: React elements from tokens, no HTML, no remote content, links that show where they go. */
import type { Token, Tokens } from "marked";
import { memo, type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import { filePlace } from "../../state/file-place.ts";
import { CodeBlock } from "../code/code-block.tsx";
import { FileLink } from "../transcript/file-links.tsx";
import { advance, type Blocks, decodeEntities, safeHref } from "./blocks.ts";
import { type Groups, groupsOf } from "./groups.ts";
import type { CutList } from "./growing.ts";

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

/** Out of sight the browser skips a full part, once its size is known from having been laid out. */
const Part = memo(function Part({ tokens, settledCount, isFull }: PartProps): ReactElement {
  const [isLaidOut, setLaidOut] = useState(false);
  useEffect(() => {
    if (!isFull) return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setLaidOut(true));
    });
    return () => cancelAnimationFrame(frame);
  }, [isFull]);
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

/** Deeper nesting than this is shown as plain text; no reader misses it and no stack overflows. */
const maxDepth = 24;

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
      return <Table token={token as Tokens.Table} depth={depth} />;
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
const Fragmented = ({ children }: { children: ReactNode }): ReactNode => children;

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

function Table({ token, depth }: { token: Tokens.Table; depth: number }): ReactElement {
  const align = (i: number): "left" | "center" | "right" | undefined => token.align[i] ?? undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table wider than the page scrolls and must be reachable by keyboard
    <div className="md-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, i) => (
              <th key={i} scope="col" dir="auto" style={{ textAlign: align(i) }}>
                {inline(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, r) => (
            <Row key={r} row={row} depth={depth} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Row = memo(function Row({ row, depth }: { row: readonly Tokens.TableCell[]; depth: number }): ReactElement {
  return (
    <tr>
      {row.map((cell, i) => (
        <td key={i} dir="auto" style={{ textAlign: cell.align ?? undefined }}>
          {inline(cell.tokens, depth)}
        </td>
      ))}
    </tr>
  );
});

function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  if (depth > maxDepth) return tokens.map((t) => t.raw).join("");
  return tokens.map((t, i) => <Fragmented key={i}>{inlineToken(t, depth + 1)}</Fragmented>);
}

function inlineToken(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens, depth) : decodeEntities((token as Tokens.Text).text);
    case "escape":
      return decodeEntities((token as Tokens.Escape).text);
    case "strong":
      return <strong>{inline(token.tokens, depth)}</strong>;
    case "em":
      return <em>{inline(token.tokens, depth)}</em>;
    case "del":
      return <del>{inline(token.tokens, depth)}</del>;
    case "codespan":
      return <InlineCode text={(token as Tokens.Codespan).text} />;
    case "br":
      return <br />;
    case "link":
      return <Link href={(token as Tokens.Link).href}>{inline(token.tokens, depth)}</Link>;
    case "image":
      return <RemoteImage href={(token as Tokens.Image).href} alt={(token as Tokens.Image).text} />;
    default:
      return token.raw;
  }
}

function InlineCode({ text }: { text: string }): ReactElement {
  const place = filePlace(text);
  const code = <code className="md-code">{text}</code>;
  return place === undefined ? code : <FileLink {...place}>{code}</FileLink>;
}

export function Link({ href, children }: { href: string; children: ReactNode }): ReactElement {
  const safe = safeHref(href);
  if (safe === undefined) {
    const dead = (
      <span className="md-deadlink" title={href}>
        {children}
      </span>
    );
    const place = filePlace(href.replace(/^file:\/\//, ""));
    return place === undefined ? dead : <FileLink {...place}>{dead}</FileLink>;
  }
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {children}
    </a>
  );
}

/** Loading a remote picture would reveal to its server who reads this; its address is shown instead. */
function RemoteImage({ href, alt }: { href: string; alt: string }): ReactElement {
  return (
    <span className="md-image">
      <span>Picture not loaded{alt === "" ? "" : `: ${alt}`}</span> <Link href={href}>{href.slice(0, 120)}</Link>
    </span>
  );
}
