/* Prints all instances of a whole execution trace with their dependences, from
   libdcfg's events, for slice_model.py.

       slice_events FILE

   A line for each instruction: I NUMBER ADDRESS IMAGE LINE CODE.  A line for
   each instance: E NUMBER INSTANCE THREAD, and for each port KIND.REGISTER=
   with NUMBER#INSTANCE,... behind it. */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char** argv)
{
   DcfgError    err;
   DcfgWet*     w = argc != 2 ? NULL : dcfg_wet_open(argv[1], NULL, &err);
   DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   DcfgWetEvent e;

   if (v == NULL || !dcfg_wet_find_control(v, &err))
      return 2;
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      printf("I %" PRIu32 " %" PRIx64 " %" PRIu32 " %" PRIu32 " ", i, in->addr,
             in->image, in->line);
      for (uint32_t k = 0; k < in->size; k++)
         printf("%02x", in->code[k]);
      putchar('\n');
   }
   while (dcfg_wet_next(v, &e, &err)) {
      if (e.kind != DCFG_WET_INSTR)
         continue;
      printf("E %" PRIu32 " %" PRIu64 " %" PRIu32, e.instr, e.instance,
             e.thread);
      for (uint32_t i = 0; i < e.n_ports; i++) {
         printf(" %d.%" PRIu32 "=", (int)e.ports[i].kind, e.ports[i].reg);
         for (uint32_t k = 0; k < e.ports[i].n; k++) {
            const DcfgWetDep* d = &e.deps[e.ports[i].first + k];
            printf("%s%" PRIu32 "#%" PRIu64, k == 0 ? "" : ",", d->instr,
                   d->instance);
         }
      }
      putchar('\n');
   }
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
   return err.status != DCFG_OK;
}
