/** What stands within a line of markdown: words, code, links that show where they go. */
import type { Token, Tokens } from "marked";
import type { ReactElement, ReactNode } from "react";
import { filePlace } from "../../state/file-place.ts";
import { FileLink } from "../transcript/file-links.tsx";
import { decodeEntities, safeHref } from "./blocks.ts";

/** Deeper nesting than this is shown as plain text; no reader misses it and no stack overflows. */
export const maxDepth = 24;

export const Fragmented = ({ children }: { children: ReactNode }): ReactNode => children;

export function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  if (depth > maxDepth) return tokens.map((t) => t.raw).join("");
  return tokens.map((t, i) => <Fragmented key={i}>{inlineToken(t, depth + 1)}</Fragmented>);
}

export function inlineToken(token: Token, depth: number): ReactNode {
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

function Link({ href, children }: { href: string; children: ReactNode }): ReactElement {
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
