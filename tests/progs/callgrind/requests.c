/* Makes client requests of Callgrind. */
#include <valgrind/callgrind.h>

int main(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   CALLGRIND_ZERO_STATS;
   CALLGRIND_TOGGLE_COLLECT;
   CALLGRIND_DUMP_STATS_AT("here");
   CALLGRIND_DUMP_STATS;
   CALLGRIND_STOP_INSTRUMENTATION;
   return 0;
}
