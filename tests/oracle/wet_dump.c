/* Prints the events of a whole execution trace, one on a line, for wet_data.py and wet_control.py:

       I ADDRESS INSTANCE PORT...       an instruction: for each port its kind and writers, as ADDRESS#INSTANCE;
                                        the first is control
       M KIND ADDRESS SIZE FROM         an effect of the kernel on memory

   usage: wet_dump FILE. */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    DcfgError    err;
    DcfgWetEvent e;
    char         text[DCFG_ERROR_TEXT_SIZE];
    DcfgWet     *w = argc == 2 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
    DcfgWetEvents *v = w ? dcfg_wet_events_new(w, &err) : NULL;

    if (!v || !dcfg_wet_find_control(v, &err)) {
        puts(argc == 2 ? dcfg_error_text(&err, text) : "usage: wet_dump FILE");
        return 2;
    }
    while (dcfg_wet_next(v, &e, &err)) {
        if (e.kind != DCFG_WET_INSTR) {
            printf("M %d %" PRIx64 " %" PRIu64 " %" PRIx64 "\n", (int)e.kind, e.addr, e.size, e.from);
            continue;
        }
        printf("I %" PRIx64 " %" PRIu64, e.addr, e.instance);
        for (uint32_t i = 0; i < e.n_ports; i++) {
            printf(" %d", (int)e.ports[i].kind);
            for (uint32_t k = 0; k < e.ports[i].n; k++) {
                const DcfgWetDep *d = &e.deps[e.ports[i].first + k];
                uint64_t          n = d->instance;
                printf(",%" PRIx64 "#%" PRIu64, dcfg_wet_instr(w, d->instr)->addr, n);
            }
        }
        putchar('\n');
    }
    if (err.status != DCFG_OK) {
        puts(dcfg_error_text(&err, text));
        return 2;
    }
    dcfg_wet_events_free(v);
    dcfg_wet_close(w);
    return 0;
}
