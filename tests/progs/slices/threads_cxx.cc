#include <mutex>
#include <thread>
#include <unistd.h>
struct Account { long balance = 100; };
static Account account;
static std::mutex guard;
namespace bank {
void deposit(long n)
{
   std::lock_guard<std::mutex> hold(guard);
   account.balance += n;        /* WRITES */
}
}
int main()
{
   std::thread a(bank::deposit, 5);
   a.join();
   long seen = account.balance; /* READS */
   return write(1, &seen, sizeof(seen)) != (ssize_t)sizeof(seen);       /* TELLS */
}
