/** The form of the tables of security cases. Serves their check, the generated part of docs/security.md, and the reader. */

/**
 * What is tried, then where: a case of the shared suite by its id, or a test of ours as `file > title` (a part of the title will do). Tests
 * that prove a requirement are found through the requirement, which names its cases.
 */
export type CaseRow = readonly [tries: string, ...tests: string[]] | { readonly tries: string; readonly cannotApply: string };
export type CaseTable = Readonly<Record<number, CaseRow>>;
