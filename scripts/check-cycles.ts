/**
 * Fails when files import each other's values in a cycle: the result then depends on which of them was loaded first. Also fails when nothing
 * imports a file: it was forgotten in its registry, or is not needed any more.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const roots = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["src", "apps/web/src", "apps/vscode/src"];
const files = roots.flatMap((root) => globSync(`${root}/**/*.{ts,tsx}`)).filter((file) => !/\.test\.tsx?$/.test(file));
const imports = new Map(files.map((file) => [file, valueImports(file)]));

const cycles = findCycles();
for (const cycle of cycles) console.error(`files import each other in a cycle: ${cycle.join(", ")}`);
const unused = findUnused();
for (const file of unused) console.error(`${file}: nobody imports it; add it to its registry, or remove it`);
process.exitCode = cycles.length + unused.length === 0 ? 0 : 1;

/** A file's static imports: no types, and no `import()`. */
function valueImports(file: string): readonly string[] {
  const found = readFileSync(file, "utf8").matchAll(/^(?:import|export)(?! type\b) (?:([^"';]*?) from )?"(\.[^"]+)"/gm);
  return [...found].flatMap(([, names = "", target = ""]) => {
    const named = /^\{([^}]*)\}$/s.exec(names.trim())?.[1];
    const isTypes = named?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "));
    return isTypes === true ? [] : [path.normalize(path.join(path.dirname(file), target))];
  });
}

/** The groups of files that all reach each other (Tarjan's algorithm). */
function findCycles(): readonly (readonly string[])[] {
  const number = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = number.size;
    number.set(file, own);
    open.push(file);
    let lowest = own;
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!number.has(next)) lowest = Math.min(lowest, visit(next));
      else if (open.includes(next)) lowest = Math.min(lowest, number.get(next) ?? own);
    }
    low.set(file, lowest);
    if (lowest === own) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1 || imports.get(file)?.includes(file) === true) found.push(group.sort());
    }
    return lowest;
  };
  for (const file of files) if (!number.has(file)) visit(file);
  return found;
}

/** Entry points of programs, and files that only tests import. */
function isEntry(file: string): boolean {
  return /\/(?:main\.tsx?|extension\.ts|testing\.ts)$|\.d\.ts$/.test(file);
}

function findUnused(): readonly string[] {
  const imported = new Set(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?:\bfrom |\bimport\(|^import )"(\.[^"]+)"/gm)].map(([, target = ""]) =>
        path.normalize(path.join(path.dirname(file), target)),
      ),
    ),
  );
  return files.filter((file) => !imported.has(file) && !isEntry(file));
}
