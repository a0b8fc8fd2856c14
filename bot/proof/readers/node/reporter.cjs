"use strict";
// A reporter of node:test that prints nothing: a line for each test in a file beside this one, and a last one that says
// how many there are.

const fs = require("fs");
const path = require("path");

const MESSAGE_AT_MOST = 8000;

module.exports = async function* record(events) {
  const file = path.join(__dirname, `node-${Date.now()}-${process.pid}-1.results`);
  const said = new Map();
  const above = [];
  let count = 0;
  fs.writeFileSync(file, "");
  for await (const { type, data } of events) {
    if (type === "test:stderr") said.set(placeOf(data), (said.get(placeOf(data)) || "") + data.message);
    if (type === "test:start") above.splice(data.nesting, Infinity, data.name);
    if (type !== "test:pass" && type !== "test:fail") continue;
    const result = resultOf(type, data, above.slice(0, data.nesting), said);
    if (!result) continue;
    count += 1;
    fs.appendFileSync(file, JSON.stringify(result) + "\n");
  }
  fs.appendFileSync(file, JSON.stringify({ end: count }) + "\n");
};

function resultOf(type, data, above, said) {
  const details = data.details || {};
  const failed = type === "test:fail";
  const isFile = data.nesting === 0 && isThisFile(data.name, data.file);
  const inside = failed && details.error && details.error.failureType === "subtestsFailed";
  if (details.type === "suite" && (!failed || inside)) return null;
  if (isFile && inside) return null;
  let status = failed ? "failed" : "passed";
  if (isSet(data.skip) || isSet(data.todo)) status = "skipped";
  else if (failed && (isFile || details.type === "suite")) status = "error";
  let message = failed ? textOf(details.error) : "";
  if (isFile && failed) message = `${(said.get(placeOf(data)) || "").slice(-MESSAGE_AT_MOST)}\n${message}`;
  const titles = isFile ? [] : [...above, data.name];
  return { file: data.file || undefined, titles, status, message: message.slice(0, MESSAGE_AT_MOST), line: data.line };
}

/** Some versions name a file as it was given, some by its whole path. */
function placeOf(data) {
  return path.resolve(String(data.file || data.name));
}

function isSet(reason) {
  return reason !== undefined && reason !== false;
}

function isThisFile(name, file) {
  const absolute = path.resolve(String(name));
  return file ? absolute === path.resolve(file) : /\.[cm]?[jt]sx?$/.test(name) && fs.existsSync(absolute);
}

function textOf(error) {
  const cause = error && error.cause !== undefined ? error.cause : error;
  if (cause && typeof cause === "object") {
    const stack = String(cause.stack || "");
    const message = String(cause.message || "");
    return stack.includes(message) ? stack : `${message}\n${stack}`;
  }
  return String(cause);
}
