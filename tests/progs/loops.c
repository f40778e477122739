/* Loops of every kind that a compiler makes: nested, with break and continue, do-while, goto into the middle. */
#include <stdio.h>

int main(void)
{
    volatile long sum = 0;
    for (int i = 0; i < 30; i++) {
        for (int j = 0; j < i; j++) {
            if (j % 5 == 4)
                continue;
            if (sum > 5000)
                break;
            for (int k = j; k > 0; k /= 2)
                sum += k;
        }
        int n = i;
        do
            sum ^= n;
        while (n-- > 3);
    }
    int i = 5;
    if (sum & 1)
        goto middle;
    while (i > 0) {
        sum += i;
middle:
        sum -= 2;
        i--;
    }
    printf("%ld\n", sum);
    return 0;
}
