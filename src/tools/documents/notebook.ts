/** A Jupyter notebook as text: its cells in order, each with its output. */

import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

interface Notebook {
  readonly text: string;
  /** Images in the cells' output, as data URLs. */
  readonly images: readonly string[];
}

const maxOutput = 4000;
const maxImages = 5;

/** An error message when the text is not a notebook. */
export function readNotebook(text: string): Notebook | string {
  const value = parseJson(text);
  const cells = isRecord(value) ? value["cells"] : undefined;
  if (!isRecord(value) || !Array.isArray(cells)) return "it is not a notebook (no list of cells)";
  const metadata = isRecord(value["metadata"]) ? value["metadata"] : {};
  const kernel = isRecord(metadata["language_info"]) ? metadata["language_info"]["name"] : undefined;
  const language = typeof kernel === "string" ? kernel : "";
  const images: string[] = [];
  const shown = cells.filter(isRecord).map((cell, i) => cellText(cell, i + 1, language, images));
  return { text: shown.join("\n\n"), images };
}

function cellText(cell: Json, number: number, language: string, images: string[]): string {
  const source = joined(cell["source"]);
  if (cell["cell_type"] !== "code") return `[cell ${number}, ${String(cell["cell_type"])}]\n${source}`;
  const outputs = Array.isArray(cell["outputs"]) ? cell["outputs"].filter(isRecord) : [];
  const printed = outputs.map((output) => outputText(output, images)).filter((output) => output !== "");
  const output = printed.length === 0 ? "" : `\nOutput:\n${printed.join("\n").slice(0, maxOutput)}`;
  return `[cell ${number}, code]\n\`\`\`${language}\n${source}\n\`\`\`${output}`;
}

function outputText(output: Json, images: string[]): string {
  if (output["output_type"] === "stream") return plain(joined(output["text"]));
  if (output["output_type"] === "error")
    return plain(`${String(output["ename"])}: ${String(output["evalue"])}\n${joined(output["traceback"])}`);
  const data = isRecord(output["data"]) ? output["data"] : {};
  for (const type of ["image/png", "image/jpeg"])
    if (typeof data[type] === "string" && images.length < maxImages) images.push(`data:${type};base64,${data[type].replaceAll(/\s/g, "")}`);
  return plain(joined(data["text/plain"]) || joined(data["text/markdown"]));
}

const plain = (text: string): string => text.replaceAll(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, "").trimEnd();

/** Notebooks store text as one string or as a list of lines. */
const joined = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";

type Json = Readonly<Record<string, unknown>>;
