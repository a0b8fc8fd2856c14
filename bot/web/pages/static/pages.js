"use strict";
// What a page does more with a script: moments by the reader's clock, parts loaded in place, what happens as it happens.

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const seconds = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

function ownMoments(root) {
  for (const each of root.querySelectorAll("time[datetime]")) {
    const at = new Date(each.dateTime);
    each.title = each.dateTime;
    each.textContent = (each.closest(".feed") ? seconds : clock).format(at);
  }
}

async function part(address) {
  const answer = await fetch(address, { headers: { "X-Part": "1" }, credentials: "same-origin" });
  if (!answer.ok) throw new Error(answer.status);
  return answer.text();
}

async function fill(details) {
  const into = details.querySelector(".loaded");
  if (!details.open || details.dataset.is) return;
  details.dataset.is = "loading";
  try {
    into.innerHTML = await part(details.dataset.load);
    ownMoments(into);
  } catch {
    delete details.dataset.is;
    into.textContent = "It could not be loaded: the link above shows it on a page of its own.";
  }
}

function ready(root) {
  ownMoments(root);
  for (const each of root.querySelectorAll("details[data-load]")) each.addEventListener("toggle", () => fill(each));
}

// The part anew, with what is open in it left open, and what was loaded into it.
async function renew(live) {
  const fresh = document.createElement("div");
  fresh.innerHTML = await part(live.dataset.part || location.href);
  const typing = live.contains(document.activeElement) && document.activeElement.matches("textarea, button");
  if (typing) return;
  for (const mark of fresh.querySelectorAll(".live-mark")) mark.hidden = false;
  for (const open of live.querySelectorAll("details[open][id]")) {
    const same = fresh.querySelector("#" + CSS.escape(open.id));
    if (same) same.replaceWith(open);
  }
  ready(fresh);
  live.replaceChildren(...fresh.childNodes);
  const feed = live.querySelector(".feed");
  if (feed) feed.scrollTop = feed.scrollHeight;
}

function follow(live) {
  const source = new EventSource(live.dataset.events);
  let due = 0;
  const soon = () => {
    clearTimeout(due);
    due = setTimeout(() => ("reload" in live.dataset ? location.reload() : renew(live).catch(() => {})), 150);
  };
  source.onopen = () => { for (const mark of live.querySelectorAll(".live-mark")) mark.hidden = false; };
  source.onerror = () => { for (const mark of live.querySelectorAll(".live-mark")) mark.hidden = true; };
  source.addEventListener("changed", soon);
  source.onmessage = (event) => {
    const said = JSON.parse(event.data);
    const list = live.querySelector("#feed");
    if (said.kind !== "told" || !list) { soon(); if (said.kind === "ended") source.close(); return; }
    const line = document.createElement("li"), time = document.createElement("time");
    time.dateTime = new Date(said.at * 1000).toISOString();
    line.append(time, said.text);
    list.append(line);
    ownMoments(list.parentElement);
    list.parentElement.scrollTop = list.parentElement.scrollHeight;
  };
}

ready(document);
const live = document.getElementById("live");
if (live && !live.dataset.ended) follow(live);
const feed = document.querySelector(".feed");
if (feed) feed.scrollTop = feed.scrollHeight;
