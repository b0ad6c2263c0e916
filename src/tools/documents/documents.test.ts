import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { deflateSync } from "node:zlib";
import type { ThreadSettings } from "../../core/ports/settings.ts";
import type { Offer, ToolContext, ToolOutput } from "../../core/ports/tool.ts";
import { pdfPages } from "./pdf-text.ts";
import { readDocument } from "./read-document.ts";

const folder = mkdtempSync(path.join(tmpdir(), "parley-documents-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const stream = (body: Buffer, more = ""): string => `<</Length ${body.length}${more}>>\nstream\n${body.toString("latin1")}\nendstream`;
const flate = (text: string, more = ""): string => stream(deflateSync(Buffer.from(text, "latin1")), `/Filter/FlateDecode${more}`);
const file = (objects: Readonly<Record<number, string>>, trailer = ""): Buffer =>
  Buffer.from(
    `%PDF-1.7\n${Object.entries(objects)
      .map(([id, body]) => `${id} 0 obj\n${body}\nendobj\n`)
      .join("")}trailer\n<</Root 1 0 R${trailer}>>\n%%EOF`,
    "latin1",
  );
const table = "beginbfchar <0001> <0047> endbfchar beginbfrange <0002> <0004> <0061> <0005> <0006> [<00FC> <D83D DE00>] endbfrange";
const twoPages = {
  1: "<</Type/Catalog/Pages 2 0 R>>",
  2: "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>",
  3: "<</Type/Page/Parent 2 0 R/Contents[7 0 R 8 0 R]>>",
  4: "<</Type/Page/Parent 2 0 R/Contents 9 0 R>>",
  5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
  6: "<</Type/Font/Subtype/Type0/ToUnicode 10 0 R>>",
  7: flate("BT /F1 12 Tf (A \\(first\\) l\\151ne) Tj 0 -14 Td [(se)-10(cond)-300(l\\223ine\\224)] TJ ET"),
  8: stream(Buffer.from("BT /F1 9 Tf <74686972642021> Tj ET")),
  9: flate("BT /F2 12 Tf <000100020003000400050006> Tj ET"),
  10: flate(table),
};

test("the text of a PDF is extracted page by page, with each font's own encoding", () => {
  const pages = pdfPages(file(twoPages));
  assert.ok(typeof pages !== "string", String(pages));
  assert.equal(pages.count, 2);
  assert.equal(pages.page(1), "A (first) line\nsecond l“ine”\nthird !");
  assert.equal(pages.page(2), "Gabcü😀");
});

test("objects packed in a stream are found, and a broken page tree is ignored", () => {
  const packed = "3 0 4 31 <</Type/Page/Contents 7 0 R>>  <</Type/Nothing>>";
  const pages = pdfPages(file({ 7: twoPages[7], 20: flate(packed, "/Type/ObjStm/N 2/First 9") }));
  assert.ok(typeof pages !== "string" && pages.page(1).startsWith("A (first)"));
});

test("a malicious file, or one that is not a PDF, fails quickly with an error", () => {
  const started = performance.now();
  assert.equal(pdfPages(Buffer.from("hello")), "it is not a PDF");
  assert.equal(pdfPages(file(twoPages, "/Encrypt 99 0 R")), "it is encrypted");
  assert.match(String(pdfPages(file({ 1: "<</Type/Catalog/Pages 1 0 R>>" }))), /no pages|object/);
  const bomb = deflateSync(Buffer.alloc(300_000_000, 32));
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [i + 1, stream(bomb, "/Filter/FlateDecode/Type/ObjStm/First 5")]));
  for (const odd of [
    ...["(", "[", "<<", "<", "1 0 obj ", "beginbfchar ", "/A", "% "].map((piece) =>
      Buffer.from(`%PDF-1.4\n1 0 obj ${piece.repeat(200_000)}`),
    ),
    file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Kids[2 0 R 2 0 R 2 0 R]>>" }),
    file(many),
    file({ ...twoPages, 10: flate("beginbfchar ".repeat(200_000)) }),
  ]) {
    const pages = pdfPages(odd);
    if (typeof pages !== "string") pages.page(1);
  }
  assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`);
});

async function outputOf(name: string, content: Buffer | string, model: object, args: object = {}): Promise<ToolOutput> {
  writeFileSync(path.join(folder, name), content);
  const tool = readDocument({ supportsPdf: false, supportsImages: true, ...model } as Offer["model"], async (url) => url);
  const call = { callId: "c", name: "read_document", args: { path: name, ...args }, text: "" };
  const action = tool.plan(call, { cwd: folder } as ThreadSettings);
  return "success" in action ? action : action.kind === "direct" ? await action.run({} as ToolContext) : assert.fail();
}
const textOf = (output: ToolOutput): string =>
  output.kind === "text" ? output.text : output.content.map((part) => (part.type === "input_text" ? part.text : part.image_url)).join("\n");

test("a PDF goes unchanged to a model that reads PDFs, as text to others, and by pages where they are named", async () => {
  assert.match(textOf(await outputOf("a.pdf", file(twoPages), { supportsPdf: true })), /^data:application\/pdf;base64,/);
  assert.match(textOf(await outputOf("a.pdf", file(twoPages), {})), /^\[page 1 of 2\]\nA \(first\)[\s\S]*\[page 2 of 2\]\nGabc/);
  assert.match(textOf(await outputOf("a.pdf", file(twoPages), { supportsPdf: true }, { pages: 2 })), /^\[page 2 of 2\]\nGabc/);
  assert.match(textOf(await outputOf("a.pdf", file(twoPages), {}, { pages: "7" })), /within 1 and 2/);
  assert.match(textOf(await outputOf("a.txt", "text", {})), /neither a PDF nor a notebook/);
  const scan = file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Kids[3 0 R]>>", 3: "<</Type/Page>>" });
  assert.match(textOf(await outputOf("scan.pdf", scan, {})), /may be pictures/);
});

test("a notebook is shown cell by cell, with its printed output and images", async () => {
  const cells = [
    { cell_type: "markdown", source: ["# Title\n", "words"] },
    {
      cell_type: "code",
      source: "print(1)",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        { output_type: "display_data", data: { "image/png": "AAAA\n", "text/plain": "<Figure>" } },
        { output_type: "error", ename: "E", evalue: "no", traceback: ["\u001b[31mred\u001b[0m"] },
      ],
    },
  ];
  const notebook = JSON.stringify({ cells, metadata: { language_info: { name: "python" } } });
  const text = textOf(await outputOf("n.ipynb", notebook, {}));
  assert.equal(
    text,
    "[cell 1, markdown]\n# Title\nwords\n\n[cell 2, code]\n```python\nprint(1)\n```\nOutput:\n1\n<Figure>\nE: no\nred\ndata:image/png;base64,AAAA",
  );
  assert.doesNotMatch(textOf(await outputOf("n.ipynb", notebook, { supportsImages: false })), /data:image/);
  for (const odd of ["{", "[]", '{"cells":5}', '{"cells":[1,null,{"cell_type":"code","outputs":[{"data":5}]}]}'])
    assert.ok(textOf(await outputOf("n.ipynb", odd, {})).length > 0);
});
