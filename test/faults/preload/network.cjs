// Loaded into a server under test: every name that is looked up and every address that is connected to is written to the file PARLEY_TEST_NETWORK.
const { appendFileSync } = require("node:fs");
const net = require("node:net");
const dns = require("node:dns");
const told = (what) => appendFileSync(process.env.PARLEY_TEST_NETWORK, `${what}\n`);
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  told(`connect ${typeof options === "object" ? (options.path ?? `${options.host}:${options.port}`) : options}`);
  return connect.apply(this, args);
};
const lookup = dns.lookup;
dns.lookup = (name, ...rest) => {
  told(`lookup ${name}`);
  return lookup(name, ...rest);
};
