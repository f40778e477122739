// Listeners of a button: one is deleted and called nevertheless.
//
// right: shown 1 times
// wrong: shown 500 times
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <string>

struct Label {
    int shown = 0;
    int width;
    explicit Label(int w) : width(w) {}
    void show() { shown++; }
};

struct Price {
    int cents;
    int tax;
};

class Button {
public:
    using Listener = std::function<void(int)>;
    void connect(Listener l) { listeners_.push_back(std::move(l)); }
    void press(int times)
    {
        for (int i = 0; i < times; i++)
            for (auto &l : listeners_)
                l(i);
    }

private:
    std::list<Listener> listeners_;
};

class Window {
public:
    explicit Window(int width) : label_(new Label(width))
    {
        button_.connect([this](int) { label_->show(); });
    }
    Label *label() { return label_; }
    Button &button() { return button_; }
    void relabel()
    {
        Label *wider = new Label(20);
        delete label_;                                  // BUG: label() was handed out
        label_ = wider;
    }

private:
    Label *label_;
    Button button_;
};

static Price *price_of(int pieces)
{
    Price *p = new Price{pieces * 125, 19};
    return p;
}

int main()
{
    Window window(10);
    Label *label = window.label();
    window.button().press(2);
    std::printf("shown %d times\n", label->shown);
    window.relabel();
    Price *price = price_of(4);
    window.button().press(1);
    std::printf("price %d\n", price->cents);
    std::printf("shown %d times\n", label->shown);      // BUG: it is gone
    delete price;
    return 0;
}
