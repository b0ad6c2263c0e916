/** Inserts measured figures into a document, at the place that is marked for them. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");

export const today = (): string => new Date().toISOString().slice(0, 10);

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function writeFigures(document: string, name: string, figures: string): void {
  const file = path.join(root, document);
  const text = readFileSync(file, "utf8");
  const place = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
  if (!place.test(text)) throw new Error(`${document} has no place for ${name}: <!-- ${name} --><!-- /${name} -->`);
  const lines = figures.includes("\n") ? `\n${figures}\n` : figures;
  writeFileSync(
    file,
    text.replace(place, () => `<!-- ${name} -->${lines}<!-- /${name} -->`),
  );
}
