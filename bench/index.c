/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A program that runs long in little code, for the index of its trace: each
   round fills an array, sorts it, counts it, and adds to a total. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Item { struct Item *left, *right; unsigned key; long n; } Item;
typedef struct { long discount; double rate; } Shop;

static Shop shop = { 10, 0.07 };
static long total;
static unsigned seed = 12345;
static unsigned char* text;
static long counts[256];

static unsigned next_random(void)
{
   seed = seed * 1103515245u + 12345u;
   return seed >> 8;
}

static Item* insert(Item* t, unsigned key)
{
   Item** at = &t;
   Item* root = t;
   if (t == NULL) {
      root = calloc(1, sizeof *root);
      root->key = key;
      root->n = 1;
      return root;
   }
   while (*at != NULL) {
      if ((*at)->key == key) { (*at)->n++; return root; }
      at = key < (*at)->key ? &(*at)->left : &(*at)->right;
   }
   *at = calloc(1, sizeof **at);
   (*at)->key = key;
   (*at)->n = 1;
   return root;
}

static int less(unsigned x, unsigned y)
{
   return x < y;
}

static void sort(unsigned* a, long n)
{
   for (long gap = n / 2; gap > 0; gap = gap * 5 / 11)
      for (long i = gap; i < n; i++) {
         unsigned x = a[i];
         long k = i;
         while (k >= gap && less(x, a[k - gap])) {
            a[k] = a[k - gap];
            k -= gap;
         }
         a[k] = x;
      }
}

static long price_of(unsigned k)
{
   long p = k % 100;
   if (p > 90)
      p -= shop.discount;
   return p;
}

int main(int argc, char** argv)
{
   long rounds = argc > 1 ? atol(argv[1]) : 1;
   long n = 100000;
   Item* tree = NULL;
   unsigned* a = malloc(n * sizeof *a);
   text = malloc(1 << 20);
   for (long i = 0; i < 1 << 20; i++)
      text[i] = (unsigned char)(next_random() >> 4);
   for (long r = 0; r < rounds; r++) {
      for (long i = 0; i < n; i++)
         a[i] = next_random();
      sort(a, n);
      for (long i = 0; i < n; i++)
         tree = insert(tree, a[i] % 5000);
      for (long i = 0; i < 1 << 20; i++) counts[text[i]]++;
      for (long i = 0; i < n; i++)
         if (a[i] % 1000 == 7)
            total += price_of(a[i]);
      if (r == 3)
         shop.discount = 11;
   }
   printf("total %ld\n", total);
   return 0;
}
