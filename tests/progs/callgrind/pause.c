/* Waits in the middle of a recursion until the file that is its argument has been written and closed; then it goes on
   to the same code in the same functions, within the calls that were active meanwhile. */
#include <fcntl.h>
#include <unistd.h>

static volatile int n;

__attribute__((noinline)) static void work(int k)
{
   for (int i = 0; i < k; i++)
      n += i;
}

__attribute__((noinline)) static int down(int k, const char *file)
{
   char c;
   int fd;

   work(10 * k);
   if (k == 12) {
      (void)!write(1, "ready\n", 6);
      fd = open(file, O_RDONLY);
      while (read(fd, &c, 1) > 0)
         ;
      close(fd);
   }
   return k > 20 ? n : down(k + 1, file) + 1;
}

int main(int argc, char **argv)
{
   (void)argc;
   return down(0, argv[1]) < 0;
}
