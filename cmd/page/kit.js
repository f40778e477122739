/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What all pages have: the data, elements, numbers, keys. */
"use strict";
const kit = (function () {
   const byId = id => document.getElementById(id);

   /* An element with ATTRIBUTES and what is INSIDE it; text is only ever text. */
   function make(tag, attributes, ...inside) {
      const e = document.createElement(tag);
      for (const name in attributes) e.setAttribute(name, attributes[name]);
      e.append(...inside);
      return e;
   }

   /* The same of SVG. */
   function svg(tag, attributes, ...inside) {
      const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const name in attributes) e.setAttribute(name, attributes[name]);
      e.append(...inside);
      return e;
   }

   const count = x => x.toLocaleString("en-US");
   const many = (x, what) => count(x) + " " + what + (x === 1 ? "" : "s");
   const base = path => path.slice(path.lastIndexOf("/") + 1);
   const brief = (name, most = 60) =>
      name.length > most ? name.slice(0, most - 20) + "\u2026" + name.slice(-18) : name;

   /* Say TEXT to those who do not see the page change. */
   function say(text) {
      byId("said").textContent = text;
   }

   function trouble(text) {
      document.body.replaceChildren(make("p", { class: "trouble", role: "alert" }, text));
   }

   /* The data, which page_data.c has packed, as an object. */
   async function data() {
      if (typeof DecompressionStream === "undefined") {
         trouble(
            "This browser is too old for this page: it needs Chromium 80, Firefox 113, Safari 16.4 or a later one."
         );
         throw new Error("no DecompressionStream");
      }
      const element = byId("data"),
         text = atob(element.textContent),
         bytes = new Uint8Array(text.length);
      for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
      element.remove();
      try {
         const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
         return await new Response(stream).json();
      } catch (e) {
         trouble("The data in this page is damaged: the file was cut off or changed. Ask for it again.");
         throw e;
      }
   }

   /* ---- Keys -------------------------------------------------------------- */

   const known = new Map(),
      told = [];

   /* KEYS do RUN, if no field has the focus; TEXT says what that is. */
   function key(keys, text, run) {
      keys.forEach(k => known.set(k, run));
      told.push([keys, text]);
   }

   const NAMES = { ArrowUp: "\u2191", ArrowDown: "\u2193", ArrowLeft: "\u2190", ArrowRight: "\u2192" };

   function showKeys() {
      const list = make("dl", {}),
         close = make("button", { autofocus: "" }, "Close");
      for (const [keys, text] of told) {
         const names = make("dt", {});
         keys.forEach((k, i) => names.append(i > 0 ? " " : "", make("kbd", {}, NAMES[k] || k)));
         list.append(names, make("dd", {}, text));
      }
      const dialog = make("dialog", { class: "keys", "aria-label": "Keys" }, make("h2", {}, "Keys"), list, close);
      close.addEventListener("click", () => dialog.remove());
      dialog.addEventListener("close", () => dialog.remove());
      document.body.append(dialog);
      dialog.showModal();
   }

   document.addEventListener("keydown", e => {
      if (
         e.ctrlKey ||
         e.altKey ||
         e.metaKey ||
         e.target.matches("select, textarea, input:not([type=checkbox])") ||
         document.querySelector("dialog[open]")
      )
         return;
      const run = known.get(e.key);
      if (run) {
         e.preventDefault();
         run();
      }
   });
   key(["?"], "this list", showKeys);

   return { byId, make, svg, count, many, base, brief, say, trouble, data, key, showKeys };
})();
