/* Programs without a C library: program() runs, and `output' is written. */

static int program(void);

char output[16];

static long system_call(long number, long a, long b, long c)
{
   long result;

#if defined(__i386__)
   __asm__ volatile("int $0x80" : "=a"(result)
                    : "a"(number == 1 ? 4 : 1), "b"(a), "c"(b), "d"(c)
                    : "memory");
#else
   __asm__ volatile("syscall" : "=a"(result)
                    : "a"(number), "D"(a), "S"(b), "d"(c)
                    : "rcx", "r11", "memory");
#endif
   return result;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
   int status = program();

   system_call(1, 1, (long)output, sizeof(output));
   system_call(60, status, 0, 0);
}
