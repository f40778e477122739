/* See lib/library.t. */
#include <dcfg_wet.h>
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char** argv)
{
   DcfgError      err;
   char           text[DCFG_ERROR_TEXT_SIZE];
   DcfgWet*       w = dcfg_wet_open(argv[1], NULL, &err);
   DcfgWetEvents* first = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   DcfgWetEvents* second = first == NULL ? NULL : dcfg_wet_events_new(w, &err);
   DcfgWetEvent   a, b, seen[4];
   unsigned       n = 0, differ = 0, again = 0;

   for (; second != NULL && dcfg_wet_next(first, &a, &err); n++) {
      seen[n % 4] = a;
      if (n < 3)
         continue;
      if (!dcfg_wet_next(second, &b, &err))
         break;
      differ += b.instr != seen[(n - 3) % 4].instr || b.instance != seen[(n - 3) % 4].instance || b.time != again++;
   }
   dcfg_wet_events_free(first);
   for (; second != NULL && dcfg_wet_next(second, &b, &err); again++)
      differ += b.time != again;
   dcfg_wet_events_free(second);
   printf("%u events, %u again, %u differ%s%s\n", n, again, differ, err.status == DCFG_OK ? "" : ": ",
          err.status == DCFG_OK ? "" : dcfg_error_text(&err, text));
   dcfg_wet_close(w);
   return argc - 2;
}
