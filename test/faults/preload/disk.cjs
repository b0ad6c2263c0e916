// Loaded into a server under test: the thread file write numbered PARLEY_TEST_WRITE fails as PARLEY_TEST_FAULT specifies.
const fs = require("node:fs");
const at = Number(process.env.PARLEY_TEST_WRITE);
const fault = process.env.PARLEY_TEST_FAULT;
const open = fs.open;
const write = fs.write;
const writeSync = fs.writeSync;
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

/** What becomes of a write: as it is, an error, so many bytes, or the process's end before it or after so many bytes. */
function judge(data) {
  count++;
  if (fault === "for a while" && count >= at && count < at + 3) return { error: failure("ENOSPC") };
  if (fault === "none" || count !== at) return {};
  if (fault === "once") return { error: failure("EIO") };
  if (fault === "dies before") return { dies: true, bytes: 0 };
  const isPart = fault === "takes a part" || fault === "dies in the middle";
  return { dies: fault.startsWith("dies"), bytes: isPart ? Math.floor(data.length / 2) : data.length };
}

// Small pieces are written in place, larger ones in the thread pool.
fs.writeSync = (fd, data, ...rest) => {
  if (!rollouts.has(fd)) return writeSync(fd, data, ...rest);
  const { error, dies, bytes } = judge(data);
  if (error !== undefined) throw error;
  if (bytes === undefined) return writeSync(fd, data, ...rest);
  const written = bytes === 0 ? 0 : writeSync(fd, data.subarray(0, bytes));
  return dies ? die() : written;
};
fs.write = (fd, data, ...rest) => {
  if (!rollouts.has(fd)) return write(fd, data, ...rest);
  const done = rest.at(-1);
  const { error, dies, bytes } = judge(data);
  if (error !== undefined) return done(error, 0);
  if (bytes === undefined) return write(fd, data, ...rest);
  if (!dies) return write(fd, data.subarray(0, bytes), 0, bytes, null, done);
  if (bytes > 0) writeSync(fd, data.subarray(0, bytes));
  return die();
};
