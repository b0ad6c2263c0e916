// Loaded into a server under test: makes it act as another version, whose thread index has the version number PARLEY_TEST_INDEX and its own tables.
const { DatabaseSync } = require("node:sqlite");
const number = Number(process.env.PARLEY_TEST_INDEX);
const numberHere = Number(process.env.PARLEY_TEST_INDEX_HERE);
const isIndex = (db) => /\/parley\/index[^/]*\.sqlite$/.test(db.location() ?? "");
const translated = (sql) =>
  sql
    .replace(/user_version = \d+/, `user_version = ${number}`)
    .replaceAll(/\bfiles\b/g, `files_of_${number}`)
    .replace("DROP TABLE", "DROP TABLE IF EXISTS files; DROP TABLE"); // drops what an older version had there

const { exec, prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  return exec.call(this, isIndex(this) ? translated(sql) : sql);
};
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, isIndex(this) ? translated(sql) : sql);
  if (!isIndex(this) || sql !== "PRAGMA user_version") return statement;
  const get = statement.get.bind(statement);
  statement.get = () => {
    const { user_version } = get();
    return { user_version: user_version === 0 ? 0 : user_version - number + numberHere };
  };
  return statement;
};
