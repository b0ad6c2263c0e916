// Loaded into a server under test: writes every name lookup and every connection to the file PARLEY_TEST_NETWORK.
const { appendFileSync } = require("node:fs");
const net = require("node:net");
const dns = require("node:dns");
const record = (what) => appendFileSync(process.env.PARLEY_TEST_NETWORK, `${what}\n`);
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  record(`connect ${typeof options === "object" ? (options.path ?? `${options.host}:${options.port}`) : options}`);
  return connect.apply(this, args);
};
const lookup = dns.lookup;
dns.lookup = (name, ...rest) => {
  record(`lookup ${name}`);
  return lookup(name, ...rest);
};
