/** All security cases, and where each is tested. `docs/security.md` shows it; `test/trust-cases.test.ts` checks it. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Requirement, requirements } from "../requirements.ts";
import { approvalCases } from "./approvals.ts";
import { bridgeCases } from "./bridge.ts";
import { faultCases } from "./faults.ts";
import { fleetCases } from "./fleet.ts";
import { protocolCases } from "./protocol.ts";
import { sandboxCases } from "./sandbox.ts";
import { supplyCases } from "./supply.ts";
import type { CaseRow, CaseTable } from "./table.ts";

/** Numbers up to this one were assigned in one list, group by group. */
export const lastListed = 192;
/** At most this many cases may be excused, and none of these. */
export const maxExcused = 10;
export const mostImportant: readonly number[] = [
  ...[34, 35, 36, 38, 39, 40, 41, 19, 24, 25, 76, 77, 79, 80, 81, 84, 87, 88, 89, 94, 96, 97, 115, 119, 120, 123, 124, 126],
  ...[138, 139, 142, 143, 149, 169, 180],
];

export const groups: readonly { readonly title: string; readonly cases: CaseTable }[] = [
  { title: "Messages", cases: protocolCases },
  { title: "Faults", cases: faultCases },
  { title: "Sandbox", cases: sandboxCases },
  { title: "Approvals", cases: approvalCases },
  { title: "Listeners, manager and page", cases: bridgeCases },
  { title: "What is brought along", cases: supplyCases },
  { title: "Fleets", cases: fleetCases },
];
export const allCases = new Map<number, CaseRow>(
  groups.flatMap(({ cases }) => Object.entries(cases).map(([n, row]): [number, CaseRow] => [Number(n), row])),
);

export interface Proof {
  readonly kind: "suite" | "test" | "requirement";
  /** An id of the suite or of a requirement, or a test's title. */
  readonly name: string;
  /** Relative to the repository; undefined for the shared suite, and for a requirement that no test cites. */
  readonly file?: string | undefined;
}

/** Where a case is tested: according to its row, and to the requirements that name it. */
export function proofsIn(root: string): (n: number) => readonly Proof[] {
  const files = citations(root);
  return (n) => {
    const row = allCases.get(n);
    const own = row === undefined || "cannotApply" in row ? [] : row.slice(1).map(proofFrom);
    const promised = Object.entries(requirements).flatMap(([id, requirement]: [string, Requirement]): Proof[] =>
      requirement.cases?.includes(n) === true ? [{ kind: "requirement", name: id, file: files.get(id) }] : [],
    );
    return [...own, ...promised];
  };
}

function proofFrom(text: string): Proof {
  const at = text.indexOf(" > ");
  return at === -1 ? { kind: "suite", name: text } : { kind: "test", file: text.slice(0, at), name: text.slice(at + 3) };
}

/** The file that proves each requirement. */
function citations(root: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const file of globSync("test/**/*.{test,itest}.ts", { cwd: root })) {
    const text = readFileSync(path.join(root, file), "utf8");
    for (const [, id = ""] of text.matchAll(/\b(?:verifies|verifiesLive)\(\s*"([^"]+)"/g)) files.set(id, file.split(path.sep).join("/"));
  }
  return files;
}
