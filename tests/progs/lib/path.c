/* Compares the path of each thread with the instances in the trace's events.  See lib/library.t. */
#include <dcfg_wet.h>
#include <inttypes.h>
#include <stdio.h>

static uint64_t differ;

/* Returns how many instructions the path of THREAD has that are those of the events. */
static uint64_t compare(DcfgWet* w, uint32_t thread)
{
   DcfgError           err;
   DcfgWetEvents*      v = dcfg_wet_events_new(w, &err);
   DcfgWetPath*        p = dcfg_wet_path_new(w, thread, &err);
   const DcfgWetPiece* pieces;
   DcfgWetEvent        e;
   uint64_t            same = 0;
   size_t              n;

   while (v != NULL && p != NULL && (n = dcfg_wet_path_next(p, &pieces, &err)) > 0)
      for (size_t i = 0; i < n; i++)
         for (uint32_t k = 0; k < pieces[i].n; k++) {
            do
               if (!dcfg_wet_next(v, &e, &err))
                  return 0;
            while (e.kind != DCFG_WET_INSTR || e.thread != thread);
            same   += e.instr == pieces[i].instrs[k] && e.time == pieces[i].time + k;
            differ += e.instr != pieces[i].instrs[k] || e.time != pieces[i].time + k;
         }
   while (v != NULL && dcfg_wet_next(v, &e, &err))
      differ += e.kind == DCFG_WET_INSTR && e.thread == thread;
   dcfg_wet_path_free(p);
   dcfg_wet_events_free(v);
   return same;
}

int main(int argc, char** argv)
{
   DcfgError err;
   DcfgWet*  w = dcfg_wet_open(argv[1], NULL, &err);
   uint64_t  missing = 0;

   for (uint32_t t = 0; w != NULL && t < dcfg_wet_threads(w); t++)
      missing += dcfg_wet_executed(w, t) - compare(w, t);
   printf("%u threads, %" PRIu64 " missing, %" PRIu64 " differ\n", w == NULL ? 0 : dcfg_wet_threads(w), missing, differ);
   dcfg_wet_close(w);
   return argc - 2;
}
