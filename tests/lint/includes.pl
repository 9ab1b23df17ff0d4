#!/usr/bin/perl
# includes.pl [DIR] - holds lib/README.md and lib/ to each other
#
# DIR is the top of the source tree, if not the present directory.
# The table of folders in lib/README.md says which other folders the files of a
# folder may include: `base` and the folder itself always.  Prints, and exits
# with 1 for
#   - a file that includes any other folder
#   - a header of the system that POSIX has not, but in files NAME_linux.c
#   - a private.h that is included from outside its folder
#   - a folder without a row, and a row that allows what no file needs
#   - a file or function that the page names and that does not exist (names
#     with capitals, as in NAME.c, are examples)
use strict;
use warnings;

chdir($ARGV[0] // '.') or die "$ARGV[0]: $!\n";

sub text {
    open my $file, '<', $_[0] or die "$_[0]: $!\n";
    local $/;
    return <$file>;
}

my $bad = 0;
sub complain { print "$_[0]\n"; $bad = 1 }

my $page = text('lib/README.md');
my @all = map { m{([^/]+)/$} } glob 'lib/*/';
my %may; # {FOLDER}{OTHER}: 0, and 1 once a file includes it
for ($page =~ /^\| (`.*)\|$/mg) {
    my ($folder, undef, $others) = split /\s*\|\s*/, "$_|";
    $folder =~ tr/`//d;
    my $any = ($others // '') =~ /^all\b/;
    my @others = $any ? @all : ($others // '') =~ /\w+/g;
    $may{$folder} = { map { $_ => $any } @others };
    $may{$folder}{$_} = 1 for 'base', $folder;
}

# Those of C11, POSIX.1-2008 and libraries; getopt_long() is everywhere.
my $portable = qr{^(?:
    ctype | dirent | dlfcn | errno | fcntl | float | fnmatch | getopt | inttypes
    | limits | locale | math | poll | pthread | setjmp | signal | std\w+ | string
    | strings | sys/(?: mman | resource | stat | types | utsname | wait )
    | time | unistd
    | archive | archive_entry | dwarf | elf | elfutils/\w+ | gelf | libdeflate
    | libelf | libiberty/demangle | pcre2 | protobuf-c/\S+ | xxhash | zlib | zstd
    )\.h$}x;

my $code = '';
for my $path (split /\n/, `find lib cmd -name '*.[ch]' | LC_ALL=C sort`) {
    my $text = text($path);
    my ($folder, $in) = $path =~ m{^(?:lib/)?(([^/]+).*)/} ? ($2, $1) : next;
    $code .= $text;
    for ($text =~ /^#\s*include <([^>]+)>/mg) {
        complain("$path: <$_> is not in POSIX: see base/system.h")
            if !/$portable/ && $path !~ /_linux\.c$/;
    }
    while ($text =~ m{^#include "(([a-z]+)/(?:.*/)?)([\w.-]+)"}mg) {
        my ($from, $other, $name) = ($1, $2, $3);
        complain("$path: includes ${from}private.h")
            if $name eq 'private.h' && $from ne "$in/";
        next if $folder eq 'cmd';
        complain("$path: $folder may not include $other (lib/README.md)")
            if !exists $may{$folder}{$other};
        $may{$folder}{$other} = 1;
    }
}
for my $folder (sort keys %may) {
    complain("lib/README.md: no file of $folder includes $_")
        for grep { !$may{$folder}{$_} } sort keys %{$may{$folder}};
}
$may{$_} or complain("lib/README.md: no row for $_") for @all;

my $files = `find lib cmd man tests -type f`;
for ($page =~ m{`([a-z0-9_/]+\.(?:[ch17]|pl|bats))`}g) {
    complain("lib/README.md: no file $_") if $files !~ m{(?:^|/)\Q$_\E$}m;
}
for ($page =~ /`([a-z][a-z0-9_]*)\(\)`/g) {
    complain("lib/README.md: no function $_()") if $code !~ /\b$_\(/;
}
exit $bad;
