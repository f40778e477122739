// Readings of a meter in a packed record: a value that does not fit.
//
// right: total 69787
// wrong: total 4251
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

struct Record {
    std::uint16_t hour;
    std::uint16_t litres;
};

class Meter {
public:
    explicit Meter(double factor) : factor_(factor) {}

    void pulse(int hour, long pulses)
    {
        double litres = static_cast<double>(pulses) * factor_;
        Record r;
        r.hour = static_cast<std::uint16_t>(hour);
        r.litres = static_cast<std::uint16_t>(static_cast<long>(litres));       // BUG: up to 65535
        log_.push_back(r);
        if (litres > peak_)
            peak_ = litres;
    }

    long total(int from, int to) const
    {
        long sum = 0;
        for (auto it = log_.begin(); it != log_.end(); ++it)
            if (it->hour >= from && it->hour < to)
                sum += it->litres;
        return sum;
    }

    double peak() const { return peak_; }

private:
    double factor_;
    double peak_ = 0;
    std::vector<Record> log_;
};

static std::vector<std::string> split(const std::string &text, char by)
{
    std::vector<std::string> parts;
    std::string::size_type from = 0, to;
    while ((to = text.find(by, from)) != std::string::npos) {
        parts.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    parts.push_back(text.substr(from));
    return parts;
}

int main()
{
    Meter meter(2.5);
    int hour = 0;
    for (const std::string &part : split("120,80,0,400,26600,860,40,15", ','))
        meter.pulse(hour++, std::stol(part));
    std::cout << "peak " << meter.peak() << std::endl;
    std::cout << "night " << meter.total(0, 3) << std::endl;
    std::cout << "total " << meter.total(2, 8) << std::endl;
    return 0;
}
