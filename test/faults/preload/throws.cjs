// Loaded into a server under test: on each SIGUSR2, throws in every way that nothing catches: from a timer, an event handler, a callback and a promise.
const { EventEmitter } = require("node:events");
const { stat } = require("node:fs");

const { stringify } = JSON;
// Throws on the notification that a thread was named, which is sent after the response.
JSON.stringify = (value, ...rest) => {
  const { threadName, threadId, turn } = value?.params ?? {};
  if (threadName === "throw") throw new Error("thrown after an answer");
  // Throws on the notification that a turn has started, if the test asks for it.
  if (process.env["THROW_AT_START"] && threadId && turn?.status === "inProgress") throw new Error("thrown at a turn's start");
  return stringify(value, ...rest);
};

function thrower() {
  throw new Error("thrown by an event");
}

process.on("SIGUSR2", () => {
  setTimeout(() => {
    throw new Error("thrown by a timer");
  }, 0);
  stat("/", () => {
    throw new Error("thrown by a callback");
  });
  setImmediate(() => new EventEmitter().once("event", thrower).emit("event"));
  setImmediate(() => new EventEmitter().emit("error", new Error("an error event without a listener")));
  void Promise.reject(new Error("rejected and left alone"));
  void Promise.reject(undefined);
});
