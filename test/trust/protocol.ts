/** Cases 1 to 32 and from 200 on: messages that no well-meaning client would send. */
import type { CaseTable } from "./table.ts";

const stdio = "test/scenarios/transport/stdio.itest.ts";

export const protocolCases: CaseTable = {
  1: ["lines that are no JSON", "P01"],
  2: ["empty lines, blanks, CRLF", "P02", `${stdio} > NUL, CRLF and empty lines never end the server`],
  3: ["JSON that is no message, and batches", "P03"],
  4: ["a request before `initialize`", "P04"],
  5: ["a second `initialize`", "P05"],
  6: [
    "unknown methods, names of Object.prototype among them",
    "P06",
    "src/protocol/find-row.test.ts > names of Object.prototype and endless names are unknown methods",
  ],
  7: ["params that are missing, null or no object", "P07"],
  8: ["params of wrong types", "P08", "src/protocol/spellings.test.ts > no value becomes a wider policy than the one it spells"],
  9: ["ids that are no ids", "P09"],
  10: ['`7` and `"7"` in flight together', "P10"],
  11: ["an id beyond 2^53"],
  12: ["one id twice in flight", "P12"],
  13: ["answers to questions that were never asked", "P13"],
  14: ["unknown notifications", "P14"],
  15: ["a line of 64 MB", "P15", `${stdio} > a line of 64 MB is survived`],
  16: ["20 MB of text in a turn", "src/protocol/limits.test.ts > input is limited in characters over all texts"],
  17: ["200,000 nested arrays", "src/protocol/spellings.test.ts > deep nesting inside policies and input is survived"],
  18: [
    "keys of the prototype in params and settings",
    "P18",
    "src/lib/schema.test.ts > keys of the prototype are neither found nor set",
    "src/config/load.test.ts > cannot reach the prototype of anything",
  ],
  19: ["bytes that are no UTF-8", "P19", `${stdio} > bytes that are no UTF-8`],
  20: ["lone surrogates", "src/store/rollout.test.ts > half a surrogate pair is mended"],
  21: ["NUL in lines, methods, arguments and paths", "P21", "src/protocol/limits.test.ts > no NUL gets into a command, a path or a folder"],
  22: ["doubled keys"],
  23: ["a request byte by byte", "P23", `${stdio} > a line may come byte by byte`],
  24: ["20,000 requests in one burst", "P24"],
  25: ["a client that does not read for seconds", `${stdio} > a client that does not read for a while loses nothing`],
  26: ["a log that is wide open", "P26", `${stdio} > nothing but messages is on stdout`],
  27: ["thread ids that are paths", "src/store/local.test.ts > an id that is no UUID never gets near the disk"],
  28: ["the end of input in the middle of a line", "P28", `${stdio} > half a line at the end of input is no reason to stay`],
  29: ["a byte order mark", "P29", `${stdio} > a byte order mark`],
  30: ["numbers out of range", "P30", "src/protocol/limits.test.ts > commands are not empty, times not negative, sizes not zero"],
  31: ["a client's name with control characters, 1 MB long"],
  32: ["an approval answered with 10 MB"],
  200: ["hundreds and thousands of calls in one answer", "src/core/count-limits.test.ts > a few at a time, all of them, in order"],
  201: [
    "an MCP server that asks without end",
    "src/mcp/question-limit.test.ts > a server that floods people with questions has most of them declined unseen",
  ],
  202: ["messages without end for a running turn"],
};
