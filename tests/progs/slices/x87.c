/* See cmd/slice/x87.t. */
unsigned char area[512] __attribute__((aligned(16))), env[28], moved[28];
double found;
static void __attribute__((noinline)) move(void)
{
    asm volatile("told_load: fxrstor area; fldenv moved" ::: "memory");
}
static void __attribute__((noinline)) find(void)
{
    asm volatile("told_other: fchs; fldenv env; told_obs: fstl found" ::: "memory");
}
int main(void)
{
    asm volatile("fnstenv env; fxsave area" ::: "memory");
    for (int i = 0; i < 28; i++)
        moved[i] = env[i];
    for (volatile int i = 0; i < 5; i++) {
        moved[5] |= (i == 4) * 3 << 3;
        move();
        find();
    }
    return 0;
}
