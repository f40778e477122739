/* Lackey as a tool that prints only instructions, three times as fast.  It includes Valgrind's lackey/lk_main.c, with
   another function in place of VG_(printf).  That function collects the output and writes some lines at a time; data
   accesses are left out.  Lackey alone decides which instructions are printed, and in which order; crosscheck_small.t
   compares the lines of both.

   If a program executes another one, its last lines are lost: use Lackey for such programs. */

#include "pub_tool_basics.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"
#include "coregrind/pub_core_libcprint.h"   /* VG_(log_output_sink) */

#define LONGEST 1000

static HChar lines[1 << 16];
static Int   used;

static void write_lines(ThreadId tid)
{
    Int done = 0, n;

    while (done < used && (n = VG_(write)(VG_(log_output_sink).fd, lines + done, used - done)) > 0)
        done += n;
    used = 0;
}

/* Print as "I  %08lx,%lu\n" does. */
static void put_instruction(Addr addr, SizeT size)
{
    Int digits = 8, i;

    while (digits < 16 && addr >> (4 * digits))
        digits++;
    lines[used++] = 'I';
    lines[used++] = ' ';
    lines[used++] = ' ';
    for (i = digits - 1; i >= 0; i--)
        lines[used++] = "0123456789abcdef"[addr >> (4 * i) & 15];
    lines[used++] = ',';
    if (size >= 10)
        lines[used++] = '0' + size / 10;
    lines[used++] = '0' + size % 10;
    lines[used++] = '\n';
}

static UInt put_line(const HChar *format, ...) PRINTF_CHECK(1, 2);
static UInt put_line(const HChar *format, ...)
{
    va_list args;

    if (format[0] == ' ')
        return 0;
    if (used > sizeof lines - LONGEST)
        write_lines(0);
    va_start(args, format);
    if (format[0] == 'I') {
        Addr addr = va_arg(args, Addr);
        put_instruction(addr, va_arg(args, SizeT));
    } else {
        used += VG_(vsnprintf)(lines + used, LONGEST, format, args);
    }
    va_end(args);
    return 0;
}

/* Rename Lackey's functions of these names. */
static void lk_post_clo_init(void);
static void lk_fini(Int exitcode);
#define vgPlain_printf       put_line
#define lk_post_clo_init(x)  lackey_post_clo_init(x)
#define lk_fini(exitcode)    lackey_fini(exitcode)
#include "lackey/lk_main.c"
#undef lk_post_clo_init
#undef lk_fini

static void lk_post_clo_init(void)
{
    /* A child prints only its own lines. */
    VG_(atfork)(write_lines, NULL, NULL);
    lackey_post_clo_init();
}

static void lk_fini(Int exitcode)
{
    lackey_fini(exitcode);
    write_lines(0);
}
