/* Lists what a whole execution trace has of each instance of the first thread: a line each,

       ADDRESS VALUE ACCESS...

   in hexadecimal.  VALUE is - if there is none, and has all its digits otherwise.  */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    DcfgError    err;
    char         text[DCFG_ERROR_TEXT_SIZE];
    DcfgWet     *w = argc == 2 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
    DcfgWetEvent e;

    if (!w) {
        puts(argc == 2 ? dcfg_error_text(&err, text) : "usage: wet_values FILE");
        return 2;
    }
    while (dcfg_wet_next(w, &e, &err)) {
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
    dcfg_wet_close(w);
    return 0;
}
