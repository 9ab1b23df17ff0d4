# Wire - fields of protobuf messages, for tests that make profiles
package Wire;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(num text int64);

# A number as a varint.
sub num {
    my ($n, $s) = ($_[0], "");
    for (; $n > 127; $n >>= 7) { $s .= chr($n & 127 | 128) }
    return $s . chr $n;
}

# Field NUMBER, of bytes, and of one number.
sub text { return num($_[0] << 3 | 2) . num(length $_[1]) . $_[1] }
sub int64 { return num($_[0] << 3) . num($_[1]) }

1;
