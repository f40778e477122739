// Who was on which machine, and how long: two arguments in the wrong order.
//
// right: kim 95 minutes
// wrong: kim -95 minutes
#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Visit {
    std::string user;
    int from = 0, to = 0;
};

static int minutes(const std::string &clock)
{
    auto colon = clock.find(':');
    return std::stoi(clock.substr(0, colon)) * 60 + std::stoi(clock.substr(colon + 1));
}

static int duration(int from, int to)
{
    return to - from;
}

class Journal {
public:
    void enter(const std::string &user, const std::string &clock) { open_[user] = minutes(clock); }

    void leave(const std::string &user, const std::string &clock)
    {
        auto it = open_.find(user);
        if (it == open_.end())
            return;
        visits_.push_back(Visit{user, it->second, minutes(clock)});
        open_.erase(it);
    }

    std::map<std::string, int> sums() const
    {
        std::map<std::string, int> all;
        std::for_each(visits_.begin(), visits_.end(), [&all](const Visit &v) {
            all[v.user] += duration(v.to, v.from);      // BUG: from, to
        });
        return all;
    }

private:
    std::unordered_map<std::string, int> open_;
    std::vector<Visit> visits_;
};

int main()
{
    Journal journal;
    std::istringstream in("+ kim 8:10\n+ lee 8:30\n- kim 9:00\n+ kim 10:15\n- lee 10:20\n- kim 11:00\n");
    std::string what, user, clock;
    while (in >> what >> user >> clock)
        if (what == "+")
            journal.enter(user, clock);
        else
            journal.leave(user, clock);
    for (const auto &[name, sum] : journal.sums())
        std::cout << name << " " << sum << " minutes\n";
    return 0;
}
