/* The x86-64 part of wet_probe.c: contents of registers before and after a case, running a case, and the contents of
   locations.

   x87's registers have 10 bytes here and are compared whole.  x87's C1, tags, top and exceptions, and those of MXCSR,
   are no locations. */

enum { N_GENERAL = 16, N_FLAGS = 3 };
enum { CARRY = 256, FLAGS, DIRECTION, STATUS, VECTOR = 288, PHYSICAL = 800, STACK = 864, N_LOCS = 928 };

static const uint32_t flag_masks[N_FLAGS] = { 1, 0x8d4, 0x400 };

/* FXSAVE's and XSAVE's layout. */
typedef struct {
    uint16_t fcw, fsw;
    uint8_t  ftw, reserved;
    uint16_t fop;
    uint64_t fip, fdp;
    uint32_t mxcsr, mxcsr_mask;
    uint8_t  st[8][16], xmm[16][16], unused[96];
    uint64_t xstate, header[7];
    uint8_t  ymm[16][16];
} __attribute__((aligned(64))) Extended;

typedef struct {
    uint64_t general[16], flags;       /* by encoding */
} General;

typedef struct {
    General  g;
    Extended x;
    uint8_t  memory[MEMORY];
    int      end;                      /* the way back, or the signal */
    uint64_t mm[8];                    /* MMX registers after a case */
} State;

void probe_run(const void *code);

General  probe_in, probe_out;
uint64_t probe_out_mm[8];
Extended probe_in_extended, probe_out_extended;
int      probe_way;

#define TO(n, reg)   "   mov probe_in+8*" #n ", %" #reg "\n"
#define FROM(n, reg) "   mov %" #reg ", probe_out+8*" #n "\n"
#define MM(n)        "   movq %mm" #n ", probe_out_mm+8*" #n "\n"
#define BACK(name, way)                                                                                     \
    "   .globl " name "\n" name ":\n   .quad 1f\n   .text\n1: movl $" way ", probe_way\n   jmp back\n   .data\n"

__asm__("   .text\n"
        "   .globl probe_run\n"
        "probe_run:\n"
        "   push %rbx\n   push %rbp\n   push %r12\n   push %r13\n   push %r14\n   push %r15\n"
        "   mov %rsp, harness_sp\n"
        "   mov %rdi, entry\n"
        "   mov $7, %eax\n   xor %edx, %edx\n"
        "   xrstor64 probe_in_extended\n"
        "   pushq probe_in+128\n   popf\n"
        TO(0, rax) TO(1, rcx) TO(2, rdx) TO(3, rbx) TO(5, rbp) TO(6, rsi) TO(7, rdi) TO(8, r8) TO(9, r9) TO(10, r10)
        TO(11, r11) TO(12, r12) TO(13, r13) TO(14, r14) TO(15, r15) TO(4, rsp)
        "   jmp *entry\n"
        "back:\n"
        FROM(0, rax) FROM(1, rcx) FROM(2, rdx) FROM(3, rbx) FROM(4, rsp) FROM(5, rbp) FROM(6, rsi) FROM(7, rdi) FROM(8, r8)
        FROM(9, r9) FROM(10, r10) FROM(11, r11) FROM(12, r12) FROM(13, r13) FROM(14, r14) FROM(15, r15)
        "   mov harness_sp, %rsp\n"
        "   pushf\n   pop probe_out+128\n"
        "   cld\n"
        "   mov $7, %eax\n   xor %edx, %edx\n"
        "   xsave64 probe_out_extended\n"
        MM(0) MM(1) MM(2) MM(3) MM(4) MM(5) MM(6) MM(7)
        "   fninit\n   vzeroupper\n   ldmxcsr mxcsr\n"
        "   pop %r15\n   pop %r14\n   pop %r13\n   pop %r12\n   pop %rbp\n   pop %rbx\n"
        "   ret\n"
        "   .data\n"
        "   .balign 8\n"
        "harness_sp: .quad 0\n"
        "entry: .quad 0\n"
        "mxcsr: .long 0x1f80\n"
        BACK("probe_back", "0") BACK("probe_back_2", "1")
        "   .text\n");

/* Clear DF, which Valgrind keeps, and AC, which the kernel keeps: with AC, unaligned accesses would fault here, too. */
static void on_signal(int signal)
{
    __asm__ volatile("cld\n   lea -128(%%rsp), %%rsp\n   pushf\n   andl $~0x40000, (%%rsp)\n   popf\n   lea 128(%%rsp), %%rsp"
                     ::: "cc", "memory");
    siglongjmp(after_fault, signal);
}

/* ---- random contents --------------------------------------------------------------------------------------------- */

/* Return contents for register N. */
static uint64_t general(unsigned n)
{
    switch (n) {
    case 1:
        return rnd() % 4 ? rnd() % (rnd() % 2 ? 4 : 64) : rnd();
    case 2:
        return rnd() % 4 ? rnd() : rnd() % 3;            /* a dividend's upper half */
    case 3: case 4: case 5: case 6: case 7:
        return (uint64_t)window + 64 * (2 * n - 4) + (n == 4 ? 64 : 0);
    default:
        return rnd() % 8 ? rnd() : rnd() % 4;
    }
}

static void fill_stack(Extended *x)
{
    for (int i = 0; i < 8; i++) {
        fill(x->st[i], 8);
        x->st[i][7] |= 0x80;
        x->st[i][8] = (uint8_t)(0xff + (rnd() % 3 ? 0 : rnd() % 30));
        x->st[i][9] = (uint8_t)(0x3f | (rnd() & 0x80));
        if (x->st[i][8] != 0xff)
            x->st[i][9] = (uint8_t)(0x40 | (x->st[i][9] & 0x80));
    }
}

static void fill_extended(Extended *x, uint64_t mode)
{
    memset(x, 0, sizeof *x);
    x->fcw    = 0x37f;
    x->mxcsr  = 0x1f80;
    x->xstate = 7;
    fill_numbers(x->xmm, sizeof x->xmm, mode);
    fill_numbers(x->ymm, sizeof x->ymm, mode);
    fill_stack(x);
    x->fsw = (uint16_t)((rnd() & 0x4500) | (mode == MMX ? 0 : 4 << 11));
    x->ftw = mode == MMX ? 0xff : 0xf0;
    if (mode == MMX)
        for (int i = 0; i < 8; i++) {
            fill(x->st[i], 8);
            x->st[i][8] = x->st[i][9] = 0xff;
        }
    if (rnd() % 4 == 0)                /* equal operands */
        memcpy(x->xmm[2], x->xmm[1], 16);
}

static void make_state(State *s, uint64_t mode)
{
    for (unsigned n = 0; n < 16; n++)
        s->g.general[n] = general(n);
    s->g.flags     = 0x202 | (rnd() & 0x8d5) | (rnd() % 4 ? 0 : 0x400);
    fill_extended(&s->x, mode);
    fill_numbers(s->memory, sizeof s->memory, rnd() % 2 ? mode : INT);
    /* POPF's operand has neither TF nor AC. */
    uint64_t popped = rnd() & 0xcd5;
    memcpy(s->memory + (s->g.general[4] - (uint64_t)window), &popped, 8);
    if (rnd() % 4 == 0)
        s->g.general[0] = s->g.general[1];
    if (rnd() % 8 == 0)
        memcpy(s->memory + 64 * 10, s->memory + 64 * 8, 64);
}

/* ---- executing --------------------------------------------------------------------------------------------------- */

/* Set the flags of PUT_MASK as another processor might have done. */
static void put_flags(const State *in, State *out)
{
    uint64_t from = put == 'r' ? rnd() : in->g.flags | (uint64_t)in->x.fsw << 32;
    uint32_t flags = (uint32_t)put_mask, status = (uint32_t)(put_mask >> 32);
    out->g.flags = (out->g.flags & ~(uint64_t)flags) | (from & flags);
    out->x.fsw   = (uint16_t)((out->x.fsw & ~status) | (from >> 32 & status));
}

static void execute(const Case *c, const State *in, State *out)
{
    probe_in          = in->g;
    probe_in_extended = in->x;
    memset(&probe_out_extended, 0, sizeof probe_out_extended);
    probe_run(c->code);
    out->g   = probe_out;
    out->x   = probe_out_extended;
    out->end = probe_way;
    if (!(out->x.xstate & 1))
        memset(out->x.st, 0, sizeof out->x.st);
    if (!(out->x.xstate & 2))
        memset(out->x.xmm, 0, sizeof out->x.xmm);
    if (!(out->x.xstate & 4))
        memset(out->x.ymm, 0, sizeof out->x.ymm);
    memcpy(out->mm, probe_out_mm, sizeof out->mm);
    if (put != 'l')
        put_flags(in, out);
}

static unsigned other_contents(const State *s, uint64_t mode, unsigned loc, uint8_t *to)
{
    if (loc == STATUS) {
        to[0] = (uint8_t)((s->x.fsw & ~(ignored >> 32)) >> 8 & 0x45);
        return 1;
    }
    if (loc >= VECTOR && loc < PHYSICAL) {
        unsigned r = (loc - VECTOR) / 32, k = (loc - VECTOR) % 32;
        to[0] = k < 16 ? s->x.xmm[r][k] : s->x.ymm[r][k - 16];
        return 1;
    }
    if (mode == MMX && loc >= PHYSICAL && loc < STACK) {
        to[0] = s->x.st[(loc - PHYSICAL) / 8][(loc - PHYSICAL) % 8];
        return 1;
    }
    if (mode != MMX && loc >= STACK && loc < N_LOCS) {
        /* They move when the top does. */
        unsigned r = ((loc - STACK) / 8 + 4) & 7, top = s->x.fsw >> 11 & 7;
        memcpy(to, s->x.st[(r - top) & 7], 10);
        return 10;
    }
    return 0;
}

static void change_other(State *s, uint64_t mode, unsigned first, unsigned end)
{
    Extended other;
    unsigned r;
    if (first == STATUS) {
        s->x.fsw ^= (uint16_t)(1 + rnd() % 5 % 4 == 0 ? 0x4500 : rnd() % 2 ? 0x4000 : 0x100);
    } else if (first < PHYSICAL) {
        fill_extended(&other, mode);
        for (unsigned l = first; l < end; l++) {
            r = (l - VECTOR) / 32;
            unsigned k   = (l - VECTOR) % 32;
            uint8_t *to  = k < 16 ? &s->x.xmm[r][k] : &s->x.ymm[r][k - 16];
            uint8_t  now = k < 16 ? other.xmm[r][k] : other.ymm[r][k - 16];
            *to = end - first > 1 ? now : now == *to || mode != INT ? (uint8_t)(*to ^ 1 << rnd() % 8) : now;
        }
    } else if (mode == MMX) {
        for (unsigned l = first; l < end; l++)
            s->x.st[(l - PHYSICAL) / 8][(l - PHYSICAL) % 8] ^= (uint8_t)(1 + rnd() % 255);
    } else {
        fill_extended(&other, mode);
        r = (first - STACK) / 8;
        memcpy(s->x.st[r], other.st[r], 10);
    }
}

static bool vectors_differ(const State *a, const State *b)
{
    return memcmp(a->x.xmm, b->x.xmm, sizeof a->x.xmm) != 0 || memcmp(a->x.ymm, b->x.ymm, sizeof a->x.ymm) != 0;
}

static bool stacks_differ(const State *a, const State *b)
{
    return a->x.fsw != b->x.fsw || memcmp(a->x.st, b->x.st, sizeof a->x.st) != 0;
}

/* Return the first location of the next group behind the flags. */
static unsigned next_other(unsigned first)
{
    return first < STATUS ? STATUS : first == STATUS ? VECTOR : first < PHYSICAL ? first + 32 : first + 8;
}
