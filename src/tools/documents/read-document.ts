/** `read_document`: PDFs and notebooks, as text or, where the model reads PDFs itself, unchanged. */
import path from "node:path";
import type { Surroundings } from "../../core/ports/surroundings.ts";
import { failed, type Offer, type Tool, type ToolContent, type ToolOutput } from "../../core/ports/tool.ts";
import { readBounded } from "../../lib/bounded-read.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { described, filledString, maybe, named, object, string } from "../../lib/schema.ts";
import { functionTool } from "../define.ts";

const maxBytes = 20 * 1024 * 1024;
/** A PDF that goes to the provider unchanged. */
const maxWhole = 8 * 1024 * 1024;
const usualPages = 20;
const mostPages = 50;

const Args = named("ReadDocumentArgs", () =>
  object({
    path: filledString(),
    pages: maybe(described(string(), `Pages of a PDF, such as "3" or "10-25"; the first ${usualPages} when left out.`)),
  }),
);

export const readDocument = (model: Offer["model"], fitted: Surroundings["fittedDataUrl"]): Tool =>
  functionTool({
    name: "read_document",
    description: "Reads a PDF or a Jupyter notebook.",
    args: Args,
    aliases: ["read_pdf", "notebook_read", "read_notebook"],
    otherNames: { file_path: "path", file: "path", filename: "path", notebook_path: "path", page: "pages" },
    plan(args, settings) {
      const file = path.resolve(settings.cwd, args.path);
      return { kind: "direct", run: () => read(file, args.pages ?? undefined, model, fitted) };
    },
  });

async function read(
  file: string,
  pages: string | undefined,
  model: Offer["model"],
  fitted: Surroundings["fittedDataUrl"],
): Promise<ToolOutput> {
  try {
    const bytes = await readBounded(file, maxBytes);
    if (bytes.subarray(0, 1024).includes("%PDF-")) return await pdf(bytes, file, pages, model);
    if (path.extname(file).toLowerCase() === ".ipynb") return await notebook(bytes, file, model, fitted);
    return failed(`${file} is neither a PDF nor a notebook; read it with a command`);
  } catch (error) {
    return failed(`unable to read ${file}: ${errorMessage(error)}`);
  }
}

async function pdf(bytes: Buffer, file: string, wanted: string | undefined, model: Offer["model"]): Promise<ToolOutput> {
  if (model.supportsPdf && wanted === undefined && bytes.length <= maxWhole)
    return {
      kind: "content",
      content: [{ type: "input_image", image_url: `data:application/pdf;base64,${bytes.toString("base64")}` }],
      success: true,
    };
  const { pdfPages } = await import("./pdf-text.ts");
  const document = pdfPages(bytes);
  if (typeof document === "string") return failed(`unable to read ${file}: ${document}`);
  const range = rangeOf(wanted, document.count);
  if (range === undefined) return failed(`pages: expected a page or a range such as "2-5" within 1 and ${document.count}`);
  const numbers = Array.from({ length: range.to - range.from + 1 }, (_, i) => range.from + i);
  const texts = numbers.map((number) => `[page ${number} of ${document.count}]\n${document.page(number)}`);
  const isEmpty = texts.every((text) => /^\[[^\]]*\]\n\s*$/.test(text));
  const note = isEmpty ? "\nThese pages hold no text; they may be pictures. Turn them into images with a command and look at those." : "";
  return { kind: "text", text: texts.join("\n\n") + note, success: true };
}

function rangeOf(wanted: string | undefined, count: number): { from: number; to: number } | undefined {
  if (wanted === undefined) return { from: 1, to: Math.min(count, usualPages) };
  const found = /^\s*(\d{1,5})\s*(?:-\s*(\d{1,5})\s*)?$/.exec(wanted);
  const from = Number(found?.[1] ?? 0);
  const to = Math.min(count, from + mostPages - 1, Number(found?.[2] ?? from));
  return found === null || from < 1 || from > to ? undefined : { from, to };
}

async function notebook(bytes: Buffer, file: string, model: Offer["model"], fitted: Surroundings["fittedDataUrl"]): Promise<ToolOutput> {
  const { readNotebook } = await import("./notebook.ts");
  const read = readNotebook(bytes.toString("utf8"));
  if (typeof read === "string") return failed(`unable to read ${file}: ${read}`);
  if (!model.supportsImages || read.images.length === 0) return { kind: "text", text: read.text, success: true };
  const images = await Promise.all(read.images.map((url) => fitted(url, model.imageLimits)));
  const content: ToolContent[] = [
    { type: "input_text", text: read.text },
    ...images.map((image_url): ToolContent => ({ type: "input_image", image_url })),
  ];
  return { kind: "content", content, success: true };
}
