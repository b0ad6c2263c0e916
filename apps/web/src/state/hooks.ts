/** Labels for hooks, shared by every interface of the product. */
export { doesRun, type HookWord, hookAction, hookEdit, hookMoment, hookState } from "../../../../src/sessions/hooks.ts";
