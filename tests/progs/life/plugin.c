/* A shared object of which two exist, with other code at the same places: WHICH is 1 or 2. */
#if WHICH == 1
int only_one(int n) { return n * 3; }
int plugin(int n) { volatile int k = n; return only_one(k) + 1; }
#else
int only_two(int n) { volatile int k = n; return k - 7; }
int plugin(int n) { volatile int k = n; k += 2; return only_two(k); }
#endif
