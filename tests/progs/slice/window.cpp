// A moving average over the last hours of a river's level: off by one.
//
// right: 11:00 average 213
// wrong: 11:00 average 210
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace river {

struct Sample {
    int hour;
    int level;      // centimetres
};

class Series {
public:
    void load(const std::string &text)
    {
        std::istringstream in(text);
        Sample s;
        while (in >> s.hour >> s.level)
            samples_.push_back(s);
    }

    size_t size() const { return samples_.size(); }
    const Sample &at(size_t i) const { return samples_[i]; }

    int highest() const
    {
        int high = 0;
        for (const Sample &s : samples_)
            if (s.level > high)
                high = s.level;
        return high;
    }

    // The mean of the COUNT samples that end with number LAST.
    int average(size_t last, size_t count) const
    {
        size_t first = last - count;                    // BUG: last - count + 1
        long sum = 0;
        for (size_t i = first; i < first + count; i++)
            sum += samples_[i].level;
        return static_cast<int>(sum / static_cast<long>(count));
    }

private:
    std::vector<Sample> samples_;
};

const char *trend(int before, int now)
{
    if (now > before + 1)
        return "rises";
    if (now < before - 1)
        return "falls";
    return "stays";
}

}

int main()
{
    river::Series series;
    series.load("6 205 7 204 8 207 9 211 10 213 11 216 12 214 13 210");
    printf("highest %d\n", series.highest());
    for (size_t i = 3; i < series.size(); i += 2) {
        int now = series.average(i, 3);
        printf("%d:00 average %d\n", series.at(i).hour, now);
        printf("%s\n", river::trend(series.at(i - 2).level, now));
    }
    return 0;
}
