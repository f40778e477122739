#include <stdio.h>
#define SHOW(x) printf("%s\t%p\t%d\t%lld\n", #x, (void *)&(x), (int)sizeof(x), (long long)(x))
struct Base { int id; };
struct Thing : Base {
    int x; int &other;
    Thing(int &to) : other(to) { id = 3; x = 1; }
    int go(int n);
};
static int shared = 4;
int mark;
__attribute__((noinline)) int Thing::go(int n)
{
    x += n;
    other = x + id;
    SHOW(this->x); SHOW(x); SHOW(id); SHOW(this->id); SHOW(other); SHOW(this->other); SHOW(shared);
    fflush(stdout);
    mark = n;                                   /* here */
    return x + id + n + other;
}
int main(int argc, char **)
{
    Thing t(shared);
    Thing &same = t;
    int got = t.go(argc);
    SHOW(same.x); SHOW(t.id); SHOW(got);
    fflush(stdout);
    mark = got;                                 /* there */
    return got == same.x;
}
