/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The page that has a slice, and nothing else. */
"use strict";
kit.data().then(data => {
   const { byId, key } = kit;
   document.body.classList.add("slice");
   const slice = slicePage(data, {
      title: (title, asked) => {
         document.title = title + ": " + asked;
         byId("title").textContent = title;
      },
      shown: () => true,
      key
   });
   key(["/"], "search", () => byId("words").focus());
   byId("keys").addEventListener("click", kit.showKeys);
   window.addEventListener("hashchange", () => slice.follow(true));
   slice.follow(false);
});
