# Counts, sorts and rewrites the words of a text: hashes, regular expressions, closures.
use strict;
use warnings;

my (%count, %next);
open my $in, '<', $ARGV[0] or die "$ARGV[0]: $!\n";
while (<$in>) {
    my $last = '';
    while (/([a-z]+)/g) {
        $count{$1}++;
        $next{$last}{$1}++;
        $last = $1;
    }
    s/(\w+) (\w+)/$2 $1/g;
}
my @order = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my $total = 0;
for my $word (@order) {
    my @after = sort { $next{$word}{$b} <=> $next{$word}{$a} || $a cmp $b } keys %{ $next{$word} };
    $total += length join ' ', map { scalar reverse $_ } @after;
}
printf "%d words, %s first, %d\n", scalar @order, $order[0], $total;
