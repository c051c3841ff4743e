// Keeps an open page up to date. The page works without it: then it is loaded again by hand.
// The server says that something changed; the page asks for itself and takes over the parts that differ.
"use strict";
(() => {
  const said = document.getElementById("live");
  const parts = (root) => [...root.querySelectorAll("[data-part]")];
  // Each part as the server last sent it, so that what a person opened or typed is no difference.
  const known = new Map(parts(document).map((part) => [part.id, part.outerHTML]));
  let version = document.body.dataset.version;
  let source = null;
  let busy = false;
  let again = false;

  const say = (text, hidden) => {
    said.textContent = text;
    said.hidden = hidden;
  };

  // A form that somebody writes in is left alone. The server refuses it if what it is about has moved.
  const isInUse = (part) => {
    const active = document.activeElement;
    if (active && part.contains(active) && active.matches("input, textarea, select")) return true;
    return [...part.querySelectorAll("textarea, input[type=number]")].some((one) => one.value !== one.defaultValue)
      || [...part.querySelectorAll("input[type=radio], input[type=checkbox]")].some((one) => one.checked !== one.defaultChecked);
  };

  const take = (old, fresh) => {
    const open = [...old.querySelectorAll("details")].map((one) => one.open);
    [...fresh.querySelectorAll("details")].forEach((one, at) => { if (open[at]) one.open = true; });
    const links = [...old.querySelectorAll("a, summary, button")];
    const at = links.indexOf(document.activeElement);
    const scrolled = [...old.querySelectorAll(".scroll, pre")].map((one) => one.scrollLeft);
    const taken = document.importNode(fresh, true);
    old.replaceWith(taken);
    [...taken.querySelectorAll(".scroll, pre")].forEach((one, at) => { if (scrolled[at]) one.scrollLeft = scrolled[at]; });
    const again = at < 0 ? null : taken.querySelectorAll("a, summary, button")[at];
    if (again) again.focus({ preventScroll: true });
  };

  const swap = (page) => {
    const fresh = parts(page);
    const wanted = new Set(fresh.map((part) => part.id));
    let kept = false;
    let before = null;
    for (const part of fresh) {
      const html = part.outerHTML;
      let old = document.getElementById(part.id);
      if (!old) {
        const place = document.querySelector("main");
        old = document.importNode(part, true);
        if (before) before.after(old); else place.prepend(old);
      } else if (known.get(part.id) !== html) {
        if (isInUse(old)) { kept = true; before = old; continue; }
        take(old, part);
      }
      known.set(part.id, html);
      before = document.getElementById(part.id);
    }
    for (const old of parts(document)) {
      if (wanted.has(old.id)) continue;
      if (isInUse(old)) { kept = true; continue; }
      known.delete(old.id);
      old.remove();
    }
    document.title = page.title;
    version = page.body.dataset.version;
    document.body.dataset.version = version;
    document.body.dataset.swapped = String(Number(document.body.dataset.swapped || 0) + 1);
    say(kept ? "Something changed here. What you are writing was left as it is; load the page again to see it." : "", !kept);
    tick();
  };

  const renew = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const got = await fetch(location.pathname + location.search, { cache: "no-store", redirect: "error" });
      if (!got.ok && got.status !== 404) throw new Error(String(got.status));
      swap(new DOMParser().parseFromString(await got.text(), "text/html"));
    } catch {
      say("This page is not up to date: the server does not answer. Start it again: redraft ui", false);
    }
    busy = false;
    if (again) { again = false; renew(); }
  };

  const listen = () => {
    if (source || document.hidden || document.body.dataset.still) return;
    source = new EventSource("/changes");
    source.onmessage = (event) => { if (event.data !== version) renew(); };
    source.onopen = () => say("", true);
    source.onerror = () => {
      say("This page is not up to date: the server does not answer. Start it again: redraft ui", false);
      if (source && source.readyState === EventSource.CLOSED) { source.close(); source = null; }
    };
  };

  // A browser has few connections for one server, so a page that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return listen();
    if (source) source.close();
    source = null;
  });

  // How long something has been going on.
  const tick = () => {
    for (const one of document.querySelectorAll("[data-since]")) {
      const seconds = Math.max(0, Math.floor((Date.now() - Number(one.dataset.since)) / 1000));
      const two = (number) => String(number).padStart(2, "0");
      const hours = Math.floor(seconds / 3600);
      one.textContent = `for ${hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}` : Math.floor(seconds / 60)}:${two(seconds % 60)}`;
    }
  };
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
  tick();
  listen();
})();
