/** Hooks in the words of people, as every face of the product says them. */
export { doesRun, type HookWord, hookAction, hookEdit, hookMoment, hookState } from "../../../../src/sessions/hooks.ts";
