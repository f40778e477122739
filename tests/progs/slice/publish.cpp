// A table of settings that another thread builds: the pointer is there before the values are.
//
// right: limit 40
// wrong: limit 0
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

struct Settings {
    std::string name;
    int limit = 0;
    int retries = 0;
};

class Store {
public:
    // Waits until there are settings.
    const Settings *get()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return current_ != nullptr; });
        return current_;
    }

    void set(const Settings *s)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        current_ = s;
        ready_.notify_all();
    }

    void release() { signal(read_); }
    void wait_for_reader() { wait(read_); }

private:
    void signal(bool &flag)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        flag = true;
        ready_.notify_all();
    }

    void wait(bool &flag)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [&flag] { return flag; });
    }

    std::mutex mutex_;
    std::condition_variable ready_;
    const Settings *current_ = nullptr;
    bool read_ = false;
};

static void load(Store &store, const std::string &text)
{
    static Settings s;
    std::istringstream in(text);
    in >> s.name;
    store.set(&s);                                      // BUG: it is not complete yet
    store.wait_for_reader();
    in >> s.limit >> s.retries;
}

static int limit_of(Store &store)
{
    const Settings *s = store.get();
    int limit = s->limit;
    store.release();
    return limit;
}

int main()
{
    Store store;
    std::thread loader(load, std::ref(store), std::string("fast 40 3"));
    int limit = limit_of(store);
    std::cout << "limit " << limit << std::endl;
    loader.join();
    return 0;
}
