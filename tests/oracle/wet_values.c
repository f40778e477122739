/* Lists the contents of a whole execution trace for each instance of the first thread, or of its instructions from
   FIRST to below END: a line each,

       ADDRESS VALUE ACCESS...

   in hexadecimal.  VALUE is - if there is none, and has all its digits otherwise. */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    DcfgError    err;
    char         text[DCFG_ERROR_TEXT_SIZE];
    DcfgWet     *w = argc == 2 || argc == 4 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
    DcfgWetEvents *v = w ? dcfg_wet_events_new(w, &err) : NULL;
    DcfgWetEvent e;
    bool        *instrs;

    if (!v) {
        puts(argc == 2 || argc == 4 ? dcfg_error_text(&err, text) : "usage: wet_values FILE [FIRST END]");
        return 2;
    }
    instrs = calloc(dcfg_wet_instrs(w) + 1, sizeof *instrs);
    for (uint32_t i = 0; argc == 4 && i < dcfg_wet_instrs(w); i++)
        instrs[i] = dcfg_wet_instr(w, i)->addr - strtoull(argv[2], NULL, 16)
                    < strtoull(argv[3], NULL, 16) - strtoull(argv[2], NULL, 16);
    if (argc == 4 && !dcfg_wet_select(v, &(DcfgWetFilter){ .instrs = instrs, .thread = DCFG_NONE, .to = UINT64_MAX }, &err)) {
        puts(dcfg_error_text(&err, text));
        return 2;
    }
    while (dcfg_wet_next(v, &e, &err)) {
        if (e.kind != DCFG_WET_INSTR || e.thread != 0)
            continue;
        printf("%" PRIx64 " ", e.addr);
        if (!e.has_value)
            putchar('-');
        for (uint32_t i = e.has_value ? e.value_size : 0; i-- > 0; )
            printf("%02x", e.value[i]);
        for (uint32_t i = 0; i < e.n_accesses; i++)
            printf(" %" PRIx64, e.accesses[i]);
        putchar('\n');
    }
    if (err.status != DCFG_OK) {
        puts(dcfg_error_text(&err, text));
        return 2;
    }
    dcfg_wet_events_free(v);
    dcfg_wet_close(w);
    free(instrs);
    return 0;
}
