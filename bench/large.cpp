// SPDX-License-Identifier: GPL-2.0-or-later
// The large program compiles this: little code, large headers.
#include <iostream>
#include <string>

struct Piece {
   std::string name;
   int price;
};

static int total(const Piece* pieces, int n)
{
   int sum = 0;
   for (int i = 0; i < n; i++) {
      std::cout << pieces[i].name << " " << pieces[i].price << std::endl;
      sum += pieces[i].price;
   }
   return sum;
}

int main(int argc, char** argv)
{
   Piece pieces[3];
   for (int i = 0; i < 3 && i < argc; i++) {
      pieces[i].name = argv[i];
      pieces[i].price = 5 * (i + 1);
   }
   std::cout << "total " << total(pieces, argc < 3 ? argc : 3) << std::endl;
}
