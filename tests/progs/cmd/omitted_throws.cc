#include <cstdio>
static int value = 1, count;
static void may_throw(int n) {
   if (n > 5)
      throw n;                          /* NEVER */
   count++;
}
int main(int argc, char **) {
   try {
      may_throw(argc);
      if (argc > 7)                     /* BRANCH value */
         value = 2;                     /* STORE value */
   } catch (int n) {
      value = n;                        /* CATCH */
   }
   printf("%d\n", value);               /* USE value */
   return 0;
}
