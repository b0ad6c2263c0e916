/** Cases 114 to 137 and from 500 on: ways to bypass approvals. */
import type { CaseTable } from "./table.ts";

const policy = "src/exec/policy/exec-policy.test.ts";

export const approvalCases: CaseTable = {
  114: ["a no", "A01"],
  115: ["answers of a wrong shape", "A02"],
  116: ["an error as answer", "A03"],
  117: ["a yes once, then the same command again", "A04"],
  118: ["a yes for the session, then more than that"],
  119: [
    "54 tricks of the shell",
    "A06",
    `${policy} > all tricks need approval`,
    "src/shell/simple-commands.test.ts > property: what is called plain is exactly what bash runs",
  ],
  120: [
    "allow rules and compound commands",
    `${policy} > allow rules cover the plain command and every part of a compound one, and no more`,
  ],
  121: ["the model asks to leave the sandbox", "A08"],
  122: [
    "a rule that the model proposes",
    `${policy} > a prefix is proposed for the first part without a rule, and never one that allows anything`,
  ],
  123: [
    "patches outside the workspace",
    "A10",
    "src/core/patch/plan.test.ts > paths outside the workspace or protected ones are known before anybody is asked",
  ],
  124: [
    "patches through symlinks",
    "src/workspace/workspace.test.ts > a link in the path or at its end is never written through",
    "src/workspace/workspace.test.ts > a folder that flickers between itself and a link is never left",
  ],
  125: [
    "patches to `.git` and `.codex`",
    "A12",
    "src/core/patch/plan.test.ts > protected names are recognized in every spelling that a file system may treat as equal",
  ],
  126: ["a folder swapped for a link while the question is open"],
  127: ["a file edited while the question is open", "A14"],
  128: [
    "a command that does not look like what it is",
    "A15",
    "apps/web/src/parts/requests/spelled.test.ts > what is asked about is spelled out",
    "src/tui/ask/ask.test.ts > what is approved is what is seen",
  ],
  129: ["a yes after the interrupt"],
  130: ["answers to other questions, twice, under other ids"],
  131: ["a patch with more commands around it", "A18", "src/core/patch/heredoc.test.ts > anything more is an ordinary command"],
  132: ["patches with odd names, broken marks or great size", "A19", "src/core/patch/parse.test.ts > no text makes it throw"],
  133: ["tools named like built-in ones"],
  134: ["an MCP tool without hints"],
  135: ["arguments that change between the question and the call"],
  136: ["a question that imitates an approval"],
  137: ["forks and sub-agents"],
  500: ["a thread that comes back wider than it was left"],
  501: ["an answer that grants more than was offered", "src/manager/offered.test.ts > an answer may contain only what was offered"],
  502: [
    "a rule for a command, and the command outside the sandbox",
    `${policy} > a rule allows inside the sandbox; one that was remembered for leaving it allows both`,
  ],
  503: [
    "options that make a harmless program run another",
    `${policy} > a rule does not allow what further words make of a harmless program`,
  ],
  504: [
    "a rule that lasts, by a device that may only approve",
    "src/manager/offered.test.ts > a permanent rule requires the scope for rules",
  ],
  505: [
    "options before a program's verb, and programs that start others, around a rule that asks or forbids",
    "src/exec/policy/exec-policy.test.ts > the strictest rule counts; prompts ask even for known commands",
    "src/exec/policy/exec-policy.test.ts > forbidden commands are found in every corner, with the text that models know",
  ],
  506: ["a transcript, a command or a tool's output that talks an automatic reviewer into a yes"],
  507: ["an automatic reviewer that answers oddly, never, or with tools without end"],
  508: ["agents that start agents without end"],
};
