/* A plug-in.  WHO, N and LABEL differ from one to the next; ODD makes other code of the same line. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define STOCK JOIN(stock_, WHO)
int STOCK[4] = { N * 100, N * 100 + 1, N * 100 + 2, N * 100 + 3 };
int JOIN(most_, WHO) = 1000 * N;
const char *const label = LABEL;
int JOIN(serve_, WHO)(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += (1 + ODD) * STOCK[i % 4];
    if (sum > JOIN(most_, WHO))
        sum = ODD;
    return sum;
}
int (*const serve)(int) = JOIN(serve_, WHO);
int *const stock = STOCK;
