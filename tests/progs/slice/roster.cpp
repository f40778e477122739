// A team that grows while somebody holds on to its captain: a stale pointer.
//
// right: captain 12 points
// wrong: captain 1 points
#include <cstdio>
#include <string>
#include <vector>

struct Player {
    int number;
    int points;
    int minutes;
    int fouls;
};

class Team {
public:
    Player &sign(int number)
    {
        players_.push_back(Player{number, 0, 0, 0});
        return players_.back();
    }

    Player *find(int number)
    {
        for (Player &p : players_)
            if (p.number == number)
                return &p;
        return nullptr;
    }

    int total() const
    {
        int sum = 0;
        for (const Player &p : players_)
            sum += p.points;
        return sum;
    }

private:
    std::vector<Player> players_;
};

class Scoreboard {
public:
    void record(int second, int code)
    {
        codes_.push_back(second);
        codes_.push_back(code);
    }
    size_t size() const { return codes_.size(); }

private:
    std::vector<int> codes_;
};

int main()
{
    Team team;
    Scoreboard board;

    team.sign(7).points = 4;
    Player *captain = &team.sign(10);
    captain->points = 12;
    team.sign(11).points = 6;
    team.sign(14).points = 9;
    team.sign(23).minutes = 31;
    for (int i = 0; i < 4; i++)
        board.record(300 * i, 3 - i);
    Player *seven = team.find(7);
    if (seven != nullptr)
        seven->fouls++;
    std::printf("%zu entries\n", board.size());
    std::printf("team %d points\n", team.total());
    std::printf("captain %d points\n", captain->points);        // BUG: the vector has moved since
    return 0;
}
