// SPDX-License-Identifier: GPL-2.0-or-later
// What the large program compiles: small, with large headers.
#include <iostream>
#include <map>
#include <string>

static std::map<std::string, int> count(int argc, char** argv)
{
   std::map<std::string, int> pieces;
   for (int i = 1; i < argc; i++)
      pieces[argv[i]]++;
   return pieces;
}

static int total(const std::map<std::string, int>& pieces)
{
   int sum = 0;
   for (const auto& item : pieces) {
      std::cout << item.first << " " << item.second << std::endl;
      sum += item.second * 5;
   }
   return sum;
}

int main(int argc, char** argv)
{
   std::map<std::string, int> pieces = count(argc, argv);
   std::map<int, std::string> names;
   for (const auto& item : pieces)
      names[item.second] = item.first;
   for (const auto& item : names)
      std::cout << item.first << ": " << item.second << "\n";
   std::cout << "total " << total(pieces) << std::endl;
}
