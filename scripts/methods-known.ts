/** Why stable methods differ from Codex 0.166; docs/from-codex.md has the same reasons. Serves scripts/methods.ts. */
const oneMachine =
  "`environments`, `canAcceptDirectInput`, `multiAgentMode` and `rootTurnId` are optional: one machine, and every turn is its own root";

export const known: Readonly<Record<string, string>> = {
  "experimentalFeature/list": "nothing is announced; the features are those that have an effect here",
  "model/list": "notes on availability and tiers are the vendor's own",
  "skills/list": "Codex's built-in skills are not there",
  "thread/fork": oneMachine,
  "thread/list": oneMachine,
  "thread/metadata/update": oneMachine,
  "thread/read": oneMachine,
  "thread/resume": `${oneMachine}; turns come as a whole, so there are no cursors into them`,
  "thread/revert": "the turns are in the answer, so there are no cursors into them",
  "thread/start": oneMachine,
  "thread/turns/list": oneMachine,
  "thread/unarchive": oneMachine,
  "turn/start": oneMachine,
  "review/start": oneMachine,
};
