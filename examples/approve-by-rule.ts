/** A bot that lets the agent work and answers its questions by rule: commands of a list are run, everything else is declined. */
import { spawnClient } from "@parley-agent/parley/client";

const allowed = ["ls", "cat", "git status", "git diff", "npm test"];
const [prompt = "Look around and tell me what this project is."] = process.argv.slice(2);

/** `bash -lc 'ls -la'` is `ls -la`. A script of several commands is nobody's prefix. */
function isAllowed(command: string): boolean {
  const script = /^\S*sh -l?c '?(.*?)'?$/s.exec(command)?.[1] ?? command;
  return !/[;&|<>`$()\n]/.test(script) && allowed.some((prefix) => script === prefix || script.startsWith(`${prefix} `));
}

using client = await spawnClient({ clientInfo: { name: "approve-by-rule", title: null, version: "1.0.0" } });

client.answer("item/commandExecution/requestApproval", ({ command, reason }) => {
  const decision = isAllowed(command ?? "") ? "accept" : "decline";
  console.error(`${decision}: ${command}${reason ? ` (${reason})` : ""}`);
  return { decision };
});
client.answer("item/fileChange/requestApproval", ({ grantRoot }) => {
  const decision = grantRoot ? "decline" : "accept";
  console.error(`${decision}: a change of files${grantRoot ? ` outside of the workspace (${grantRoot})` : ""}`);
  return { decision };
});

const thread = await client.startThread({ cwd: process.cwd(), sandbox: "workspace-write", approvalPolicy: "on-request" });
const { text, status } = await thread.run(prompt);
console.log(text);
process.exitCode = status === "completed" ? 0 : 1;
