// Things that move on a board: the constructor forgets a member.
//
// right: duck at 40,12
// wrong: duck at 61,12
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

class Sprite {
public:
    Sprite(const char *name, int x, int y) : name_(name), x_(x), y_(y) {}

    void push(int dx, int dy)
    {
        dx_ = dx;
        dy_ = dy;
    }

    void slow_down() { dx_ /= 2; }

    void move(int steps)
    {
        for (int i = 0; i < steps; i++) {
            x_ += dx_ + wind_;                          // BUG: nobody has set wind_
            y_ += dy_;
        }
    }

    void blow(int wind) { wind_ = wind; }
    void print() const { std::printf("%s at %d,%d\n", name_.c_str(), x_, y_); }
    bool is_outside(int width, int height) const
    {
        return x_ < 0 || y_ < 0 || x_ >= width || y_ >= height;
    }

private:
    std::string name_;
    int x_, y_;
    int dx_ = 0, dy_ = 0;
    int wind_;
};

class Board {
public:
    Sprite *add(const char *name, int x, int y)
    {
        sprites_.push_back(new Sprite(name, x, y));
        return sprites_.back();
    }

    void sweep()
    {
        size_t kept = 0;
        for (Sprite *s : sprites_) {
            if (s->is_outside(80, 24))
                delete s;
            else
                sprites_[kept++] = s;
        }
        sprites_.resize(kept);
    }

    void step(int n)
    {
        for (Sprite *s : sprites_)
            s->move(n);
    }

    void print() const
    {
        for (const Sprite *s : sprites_)
            s->print();
    }

    ~Board()
    {
        for (Sprite *s : sprites_)
            delete s;
    }

private:
    std::vector<Sprite *> sprites_;
};

int main()
{
    Board board;
    Sprite *fox = board.add("fox", 4, 9);
    Sprite *leaf = board.add("leaf", 70, 3);
    fox->blow(0);
    fox->push(2, 1);
    leaf->blow(7);
    leaf->push(1, 1);
    board.step(2);
    board.sweep();
    board.print();
    Sprite *duck = board.add("duck", 31, 6);
    duck->push(3, 2);
    fox->slow_down();
    board.step(3);
    board.print();
    return 0;
}
