/* Checks that each dependence of a whole execution trace names an instance that
   ran before.  Prints, through libdcfg, how many instructions each thread
   executed and how many instances each has:

       thread N
       instruction ADDRESS N

   usage: wet_order FILE.  Exit status 0: all do, 1: not all, 2: the file cannot
   be read. */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
   DcfgError    err;
   DcfgWetEvent e;
   char         text[DCFG_ERROR_TEXT_SIZE];
   uint64_t     wrong = 0;
   DcfgWet*     w = argc == 2 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
   DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);

   if (v == NULL || !dcfg_wet_find_control(v, &err)) {
      puts(argc == 2 ? dcfg_error_text(&err, text) : "usage: wet_order FILE");
      return 2;
   }
   uint64_t* seen    = calloc(dcfg_wet_instrs(w) + 1u, sizeof(*seen));
   uint64_t* threads = calloc(dcfg_wet_threads(w) + 1u, sizeof(*threads));
   while (dcfg_wet_next(v, &e, &err)) {
      if (e.kind != DCFG_WET_INSTR)
         continue;
      wrong += e.n_ports != dcfg_wet_instr(w, e.instr)->n_ports;
      wrong += e.instance != seen[e.instr];
      for (uint32_t i = 0; i < e.n_ports; i++)
         for (uint32_t k = 0; k < e.ports[i].n; k++) {
            const DcfgWetDep* d = &e.deps[e.ports[i].first + k];
            if (d->instr >= dcfg_wet_instrs(w)
                || d->instance >= seen[d->instr]) {
               printf("0x%" PRIx64 "#%" PRIu64 ", port %" PRIu32 "\n",
                      e.addr, e.instance, i);
               wrong++;
            }
         }
      seen[e.instr]++;
      threads[e.thread]++;
   }
   if (err.status != DCFG_OK) {
      puts(dcfg_error_text(&err, text));
      return 2;
   }
   for (uint32_t i = 0; i < dcfg_wet_threads(w); i++) {
      printf("thread %" PRIu64 "\n", threads[i]);
      wrong += threads[i] != dcfg_wet_executed(w, i);
   }
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (seen[i] > 0)
         printf("instruction %" PRIx64 " %" PRIu64 "\n",
                dcfg_wet_instr(w, i)->addr, seen[i]);
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
   free(seen);
   free(threads);
   return wrong > 0;
}
