/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The pane with a slice: the page of dcfg slice, as a guest.  Its own links are addresses of this page, #i5 and #l0-12. */
"use strict";
function paneSlice(v, go) {
   const { make, byId, key } = kit,
      { data } = v;
   let box = null,
      slice = null;

   /* Return the page of the slice, without the parts that this page has, too. */
   function element() {
      const from = byId("guest").content.cloneNode(true);
      from.querySelectorAll("#title, #words, #keys, #said, noscript").forEach(e => e.remove());
      const parts = ["header", "main"].map(name => {
         const e = from.querySelector(name);
         return make("div", { class: e.className }, ...e.childNodes);
      });
      return make("div", { class: "full" }, ...parts);
   }

   return {
      id: "slice",
      name: "Slice",
      show() {
         if (!box) box = element();
         return box;
      },
      /* Called when the pane is in the document. */
      shown() {
         if (!slice)
            slice = slicePage(data.slice, {
               title: (title, asked) => {
                  byId("criterion").title = title + ": " + asked;
               },
               shown: () => box.isConnected,
               key: (keys, text, run) => key(keys, text + ", of the slice", () => box.isConnected && run())
            });
         slice.follow(true);
      }
   };
}
