/* Patterns compiled to machine code by PCRE2 and matched many times, then freed: the next one's code takes the place. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <string.h>

static const char *const patterns[] = {
   "([a-z]+)@([a-z]+)\\.(com|org)", "(?:a|b)*c{2,5}d?", "\\b\\d{3}-\\d{4}\\b", "(?<x>q+)[^\\s]*\\k<x>",
   "^(\\w+\\s?){3,9}$", "(?=.*foo)(?=.*bar).{4,}"
};
static const char *const subjects[] = {
   "write to someone@example.org today", "ababababccccd", "call 555-1234 now", "xxqqabcqq yy", "the quick brown fox",
   "bar and foo and more", ""
};

int main(void)
{
   int round, i, j, k, hits = 0;

   for (round = 0; round < 5; round++)
      for (i = 0; i < 6; i++) {
         int error;
         PCRE2_SIZE at;
         pcre2_code *re = pcre2_compile((PCRE2_SPTR)patterns[(i + round) % 6], PCRE2_ZERO_TERMINATED, 0, &error, &at, NULL);
         pcre2_match_data *md = pcre2_match_data_create_from_pattern(re, NULL);
         if (pcre2_jit_compile(re, PCRE2_JIT_COMPLETE) != 0)
            return 2;
         for (j = 0; j < 7; j++)
            for (k = 0; k < 20; k++)
               hits += pcre2_match(re, (PCRE2_SPTR)subjects[j], strlen(subjects[j]), 0, 0, md, NULL) > 0;
         pcre2_match_data_free(md);
         pcre2_code_free(re);
      }
   printf("%d\n", hits);
   return 0;
}
