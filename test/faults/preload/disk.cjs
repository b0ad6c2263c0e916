// Loaded into a server under test: the thread file write numbered PARLEY_TEST_WRITE fails as PARLEY_TEST_FAULT specifies.
const fs = require("node:fs");
const at = Number(process.env.PARLEY_TEST_WRITE);
const fault = process.env.PARLEY_TEST_FAULT;
const open = fs.open;
const write = fs.write;
const rollouts = new Set();
let count = 0;
const failure = (code) => Object.assign(new Error(`${code}: made by the test`), { code });
const die = () => process.kill(process.pid, "SIGKILL");

process.on("exit", () => fs.writeFileSync(process.env.PARLEY_TEST_COUNT, String(count)));
fs.open = (file, ...rest) => {
  const done = rest.pop();
  open(file, ...rest, (error, fd) => {
    if (error === null && String(file).includes("/sessions/")) rollouts.add(fd);
    done(error, fd);
  });
};
fs.write = (fd, data, ...rest) => {
  const done = rest.at(-1);
  if (!rollouts.has(fd)) return write(fd, data, ...rest);
  count++;
  if (fault === "none" || count < at) return write(fd, data, ...rest);
  if (fault === "for a while" && count < at + 3) return done(failure("ENOSPC"), 0);
  if (count > at) return write(fd, data, ...rest);
  if (fault === "once") return done(failure("EIO"), 0);
  if (fault === "dies before") return die();
  const part = fault === "takes a part" || fault === "dies in the middle" ? Math.floor(data.length / 2) : data.length;
  if (fault === "takes a part") return write(fd, data.subarray(0, part), 0, part, null, done);
  if (fault === "dies in the middle" || fault === "dies after") {
    fs.writeSync(fd, data.subarray(0, part));
    return die();
  }
  return write(fd, data, ...rest);
};
