/** The form of the tables of security cases. Serves their check, the generated part of docs/security.md, and the reader. */

/**
 * What is tried, then where: a case of the shared suite by its id, or a test of ours as `file > title` (a part of the title will do). Tests
 * that prove a requirement are found through the requirement, which names its cases.
 */
export type CaseRow = readonly [tries: string, ...tests: string[]] | { readonly tries: string; readonly cannotApply: string };
/**
 * By number. Numbers up to 192 come from one list; what was found later has the hundred of its group (messages 200, faults 300, sandbox 400,
 * approvals 500, listeners and manager 600, what is brought along 700), so that groups can grow side by side.
 */
export type CaseTable = Readonly<Record<number, CaseRow>>;
