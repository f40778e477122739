/* A shared object of which the test changes a byte here and there: each function has a number to know it by. */
int idle(int n) { return n + 0x7654321; }
int plugin(int n) { return n + 0x1234567; }
