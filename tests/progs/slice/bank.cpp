// Accounts that get interest at the end of a month: an update that is missed.
//
// right: savings 10300
// wrong: savings 10000
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

class Account {
public:
    explicit Account(long cents) : cents_(cents) {}
    virtual ~Account() = default;
    virtual void end_of_month(int month) = 0;
    void pay(long cents) { cents_ += cents; }
    long balance() const { return cents_; }

protected:
    long cents_;
};

class Giro : public Account {
public:
    using Account::Account;
    void end_of_month(int) override
    {
        if (cents_ < 0)
            cents_ -= 500;
    }
};

class Savings : public Account {
public:
    Savings(long cents, int percent) : Account(cents), percent_(percent) {}
    void end_of_month(int month) override
    {
        lowest_ = cents_ < lowest_ ? cents_ : lowest_;
        if (month > 12) {                               // BUG: >= 12
            cents_ += cents_ * percent_ / 100;
            lowest_ = cents_;
        }
    }

private:
    int percent_;
    long lowest_ = 1000000;
};

class Bank {
public:
    void open(const std::string &name, std::unique_ptr<Account> a) { accounts_[name] = std::move(a); }

    void play(const std::string &journal)
    {
        std::istringstream in(journal);
        std::string name;
        long cents;
        while (in >> name >> cents)
            if (name == "month")
                for (auto &a : accounts_)
                    a.second->end_of_month(static_cast<int>(cents));
            else if (accounts_.count(name))
                accounts_[name]->pay(cents);
    }

    void print(std::ostream &out) const
    {
        for (const auto &a : accounts_)
            out << a.first << ' ' << a.second->balance() << '\n';
    }

private:
    std::map<std::string, std::unique_ptr<Account>> accounts_;
};

int main()
{
    Bank bank;
    bank.open("savings", std::make_unique<Savings>(8000, 3));
    bank.open("giro", std::make_unique<Giro>(1500));
    bank.play("giro -1800 month 10 savings 2000 giro 900 month 11 giro 20 month 12");
    bank.print(std::cout);
    return 0;
}
