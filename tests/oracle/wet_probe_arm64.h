/* The arm64 part of wet_probe.c: contents of registers before and after a case, running a case, and the contents of
   locations.  X28 leads to a case and back, so a case does not use it; FPCR and FPSR are no locations. */

enum { N_GENERAL = 32, N_FLAGS = 2 };                   /* the last one is SP */
enum { CARRY = 256, FLAGS, VECTOR = 288, PHYSICAL = 800, STACK = 800, N_LOCS = 800 };

static const uint32_t flag_masks[N_FLAGS] = { 1u << 29, 0xdu << 28 };

typedef struct {
    uint64_t general[N_GENERAL], flags;
} General;

typedef struct {
    General g;
    uint8_t v[32][16] __attribute__((aligned(16)));
    uint8_t memory[MEMORY];
    int     end;                                        /* the way back, or the signal */
} State;

void probe_run(const void *code);

State probe_in, probe_out;
int   probe_way;

#define ALL_GENERAL(op)                                                                                                   \
    op " x0, x1, [x28]\n" op " x2, x3, [x28, #16]\n" op " x4, x5, [x28, #32]\n" op " x6, x7, [x28, #48]\n"                \
    op " x8, x9, [x28, #64]\n" op " x10, x11, [x28, #80]\n" op " x12, x13, [x28, #96]\n" op " x14, x15, [x28, #112]\n"   \
    op " x16, x17, [x28, #128]\n" op " x18, x19, [x28, #144]\n" op " x20, x21, [x28, #160]\n"                           \
    op " x22, x23, [x28, #176]\n" op " x24, x25, [x28, #192]\n" op " x26, x27, [x28, #208]\n" op " x29, x30, [x28, #232]\n"
#define ALL_VECTORS(op)                                                                                                   \
    op " q0, q1, [x28, #272]\n" op " q2, q3, [x28, #304]\n" op " q4, q5, [x28, #336]\n" op " q6, q7, [x28, #368]\n"       \
    op " q8, q9, [x28, #400]\n" op " q10, q11, [x28, #432]\n" op " q12, q13, [x28, #464]\n" op " q14, q15, [x28, #496]\n" \
    op " q16, q17, [x28, #528]\n" op " q18, q19, [x28, #560]\n" op " q20, q21, [x28, #592]\n"                           \
    op " q22, q23, [x28, #624]\n" op " q24, q25, [x28, #656]\n" op " q26, q27, [x28, #688]\n"                           \
    op " q28, q29, [x28, #720]\n" op " q30, q31, [x28, #752]\n"
#define OF(op, reg, name) "adrp x28, " name "\n" op " " reg ", [x28, :lo12:" name "]\n"

__asm__(".text\n"
        ".globl probe_run\n"
        "probe_run:\n"
        "stp x19, x20, [sp, #-160]!\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\nstp x25, x26, [sp, #48]\n"
        "stp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\nstp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\n"
        "stp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x1, sp\n" OF("str", "x1", "harness_sp") OF("str", "x0", "entry")
        "msr fpsr, xzr\n"
        "adrp x28, probe_in\nadd x28, x28, :lo12:probe_in\n"
        ALL_VECTORS("ldp")
        "ldr x0, [x28, #256]\nmsr nzcv, x0\n"
        "ldr x0, [x28, #248]\nmov sp, x0\n"
        ALL_GENERAL("ldp")
        OF("ldr", "x28", "entry")
        "br x28\n"
        ".globl probe_back\nprobe_back:\n" OF("str", "wzr", "probe_way") "b back\n"
        ".globl probe_back_2\nprobe_back_2:\n" OF("str", "w28", "probe_way")
        "back:\n"
        "adrp x28, probe_out\nadd x28, x28, :lo12:probe_out\n"
        ALL_GENERAL("stp")
        ALL_VECTORS("stp")
        "mov x0, sp\nstr x0, [x28, #248]\nmrs x0, nzcv\nstr x0, [x28, #256]\n"
        OF("ldr", "x0", "harness_sp") "mov sp, x0\n"
        "ldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\nldp x25, x26, [sp, #48]\nldp x27, x28, [sp, #64]\n"
        "ldp x29, x30, [sp, #80]\nldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\nldp x19, x20, [sp], #160\n"
        "ret\n"
        ".bss\n.balign 8\nharness_sp: .skip 8\nentry: .skip 8\n"
        ".text\n");

static void on_signal(int signal)
{
    siglongjmp(after_fault, signal);
}

/* Return contents for register N. */
static uint64_t general(unsigned n)
{
    if ((n >= 19 && n <= 22) || n == 31)
        return (uint64_t)window + (n == 31 ? 512 : 64 * (n - 18));
    if (n == 23)
        return rnd() % 4 ? rnd() % 8 : rnd() % 64;
    return rnd() % 8 ? rnd() : rnd() % 4;
}

static void make_state(State *s, uint64_t mode)
{
    memset(s, 0, sizeof *s);
    for (unsigned n = 0; n < N_GENERAL; n++)
        s->g.general[n] = general(n);
    s->g.general[28] = 0;
    s->g.flags = rnd() & 0xf0000000;
    fill_numbers(s->v, sizeof s->v, mode);
    fill_numbers(s->memory, sizeof s->memory, rnd() % 2 ? mode : INT);
    if (rnd() % 4 == 0) {                               /* equal operands */
        s->g.general[2] = s->g.general[1];
        memcpy(s->v[2], s->v[1], 16);
    }
    if (rnd() % 4 == 0)                                 /* and the operand of a compare in memory */
        memcpy(s->g.general, s->memory + 64, 16);
    for (unsigned k = 0; k < 16; k++)                   /* TBL's indices */
        s->v[5][k] = rnd() % 4 ? (uint8_t)(rnd() % 64) : s->v[5][k];
}

static void execute(const Case *c, const State *in, State *out)
{
    probe_in = *in;
    probe_run(c->code);
    *out = probe_out;
    out->g.general[28] = 0;
    out->end = probe_way != 0;
}

static unsigned other_contents(const State *s, uint64_t mode, unsigned loc, uint8_t *to)
{
    (void)mode;
    if (loc < VECTOR)
        return 0;
    to[0] = s->v[(loc - VECTOR) / 16][(loc - VECTOR) % 16];
    return 1;
}

static void change_other(State *s, uint64_t mode, unsigned first, unsigned end)
{
    State other;
    make_state(&other, mode);
    for (unsigned l = first; l < end; l++) {
        uint8_t *to = &s->v[(l - VECTOR) / 16][(l - VECTOR) % 16], now = other.v[(l - VECTOR) / 16][(l - VECTOR) % 16];
        *to = end - first > 1 ? now : now == *to || mode != INT ? (uint8_t)(*to ^ 1 << rnd() % 8) : now;
    }
}

static bool vectors_differ(const State *a, const State *b)
{
    return memcmp(a->v, b->v, sizeof a->v) != 0;
}

static bool stacks_differ(const State *a, const State *b)
{
    (void)a;
    (void)b;
    return false;
}

static unsigned next_other(unsigned first)
{
    return first < VECTOR ? VECTOR : first + 16;
}
