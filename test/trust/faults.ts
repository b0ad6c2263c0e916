/** Cases 33 to 74 and from 300 on: crashes, disks, clocks, model servers and children that fail. */
import type { CaseTable } from "./table.ts";

const kill = "test/faults/kill.itest.ts > nothing that was announced is lost in";
const spawn = "src/exec/spawn.test.ts";
const rollout = "src/store/rollout.test.ts";

export const faultCases: CaseTable = {
  33: ["kill -9 while the model streams", "F01", kill],
  34: ["kill -9 right after `turn/completed`", "F02", kill, "test/faults/store-server-kill.test.ts > kill -9 at"],
  35: [
    "a torn last line",
    "F03",
    "src/store/local.test.ts > a half line, NULs and a missing line end before an append cost only themselves",
  ],
  36: ["a thread's file cut anywhere", `${rollout} > a file cut at any byte after the first turn opens with that turn whole`],
  37: [
    "NUL blocks, broken and foreign lines inside",
    `${rollout} > broken lines, unknown lines, NUL blocks and glued lines cost only themselves`,
  ],
  38: ["kill -9 while a command runs", "F06", `${spawn} > when the server is killed, its commands end`],
  39: ["kill -9 with an approval pending", "F07"],
  40: ["the client goes with an approval pending", "F08"],
  41: ["the client goes while a command runs", "F09"],
  42: ["SIGTERM while a command runs", "F10", "test/scenarios/transport/stdio.itest.ts > ends the server with exit code 0"],
  43: ["a full disk, then room again", "test/faults/store-writes.test.ts > a process that dies with the disk full"],
  44: ["a home that cannot be written", "F12", "test/faults/store-writes.test.ts > a folder without rights to write is ridden out"],
  45: ["the model server is down", "F13"],
  46: ["the model's connection is reset", "F14"],
  47: ["a stream without its last event", "F15", "src/models/contract.test.ts > after any part is a failure that may be tried again"],
  48: ["garbage instead of events", "F16"],
  49: ["HTTP 500", "F17"],
  50: ["a web page instead of a stream", "F18"],
  51: ["a tool call with broken arguments", "F19"],
  52: ["a call of an unknown tool", "F20"],
  53: ["arguments of wrong types", "F21"],
  54: ["a model that stalls", "F22"],
  55: ["200 MB of text deltas"],
  56: ["one event that never ends", "F24", "src/lib/sse.test.ts > throws when a line or an event grows past the limit"],
  57: ["a command that prints 300 MB", "F25"],
  58: ["a child that ignores signals", "F26", `${spawn} > a time-out ends everything and gives 124; one that ignores TERM is killed`],
  59: ["a daemon that a command leaves behind", "F27", `${spawn} > when the server is killed, its commands end`],
  60: ["a child that keeps the output open", `${spawn} > a child that holds the output open does not hold up the end`],
  61: ["a command that closes its output and goes on", "F29", `${spawn} > a child that holds the output open does not hold up the end`],
  62: ["a command that reads its input", "F30", `${spawn} > closed input ends at once`],
  63: ["output of any bytes"],
  64: ["two servers on one thread", "src/store/leases.test.ts > another process is told who holds the thread"],
  65: ["20 threads run commands at once", "F33"],
  66: ["interrupts of finished and unknown turns", "F34"],
  67: ["a client that goes while a command is being started", `${spawn} > killed at any moment of a start, nothing lives on`],
  68: ["a clock that jumps"],
  69: ["a model stream and an output of gigabytes"],
  70: ["a command that forks without end", "src/exec/sandbox/escapes.test.ts > a command that forks without end is ended as a whole"],
  71: ["memory runs out"],
  72: ["each single write fails", "test/faults/store-writes.test.ts > at any write keeps nothing back once it works again"],
  73: ["a home that is moved or deleted"],
  74: ["a stopped child", `${spawn} > an interrupt ends the command, stopped children too`],
  300: ["deleting a thread in whose file the past of forks lies"],
};
