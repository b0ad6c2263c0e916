/** The form of the tables of security cases. Serves their check, the generated part of docs/security.md, and the reader. */

/**
 * What is tested, then where: a case of the shared suite by its id, or one of our tests as `file > title` (part of the title is enough). Tests
 * that prove a requirement are found through the requirement, which names its cases.
 */
export type CaseRow = readonly [tries: string, ...tests: string[]] | { readonly tries: string; readonly cannotApply: string };
/**
 * By number. Numbers up to 192 come from one list; later ones start at the hundred of their group (messages 200, faults 300, sandbox 400,
 * approvals 500, listeners and manager 600, supply chain 700, fleets 800), so that groups can grow independently.
 */
export type CaseTable = Readonly<Record<number, CaseRow>>;
