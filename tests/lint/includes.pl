#!/usr/bin/perl
# includes.pl [DIR] - what the include path of each folder does not say
#
# DIR is the top of the source tree, if not the present directory.
# The compiler refuses headers of folders that SEES_FOLDER in the Makefile does
# not name.  Prints, and exits with 1 for
#   - a row of the table in lib/README.md that differs from SEES_FOLDER
#   - a folder that SEES_FOLDER names and that no file of the other needs
#   - a header of the system that POSIX has not, but in files NAME_linux.c
#   - a private.h that is included from outside its folder
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
my %sees; # {FOLDER}{OTHER}: 0, and 1 once a file of FOLDER includes it
for (text('Makefile') =~ /^SEES_(.*)/mg) {
    my ($folder, @others) = /[\w.\/-]+/g;
    $sees{$folder} = {} if !/\+=/;
    $sees{$folder}{$_} = 0 for @others;
}
my %row = map { m{([^/]+)/$} => undef } glob 'lib/*/';
for ($page =~ /^\| (`.*)\|$/mg) {
    my ($folder, undef, $others) = split /\s*\|\s*/, "$_|";
    $row{$folder =~ tr/`//dr} = [ ($others // '') =~ /[\w.\/-]+/g ];
}
for (sort keys %row) {
    my ($in_row, $in_path) = ("@{[ sort @{$row{$_} // []} ]}",
        "@{[ sort keys %{$sees{$_} // {}} ]}");
    complain("lib/README.md: " . ($row{$_} ? "$_: '$in_row' is '$in_path' in the"
        . " Makefile" : "no row for $_")) if !$row{$_} || $in_row ne $in_path;
}

# Those of C11, POSIX.1-2008 and libraries; getopt_long() is everywhere.
my $portable = qr{^(?:
    assert | ctype | dirent | dlfcn | errno | fcntl | float | fnmatch | getopt
    | inttypes | limits | locale | math | poll | pthread | setjmp | signal
    | std\w+ | string | strings | sys/(?: mman | resource | stat | types | utsname | wait )
    | time | unistd
    | archive | archive_entry | dwarf | elf | elfutils/\w+ | gelf
    | isa-l/igzip_lib | libdeflate | libelf | libiberty/demangle | nettle/\w+
    | pcre2 | xxhash | zlib | zstd
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
    while ($text =~ m{^#include "(([^"]*/)?([\w.-]+))"}mg) {
        my ($name, $from, $file) = ($1, $2 // '', $3);
        complain("$path: includes ${from}private.h")
            if $file eq 'private.h' && $from ne "$in/";
        $name =~ m{^\Q$_\E(?:/|$)} and $sees{$folder}{$_} = 1
            for keys %{$sees{$folder}};
    }
}
for my $folder (grep { $row{$_} } sort keys %sees) {
    complain("Makefile: no file of $folder includes $_")
        for grep { !$sees{$folder}{$_} } sort keys %{$sees{$folder}};
}

my $files = `find lib cmd man tests -type f`;
for ($page =~ m{`([a-z0-9_/]+\.(?:[ch17]|pl|bats))`}g) {
    complain("lib/README.md: no file $_") if $files !~ m{(?:^|/)\Q$_\E$}m;
}
for ($page =~ /`([a-z][a-z0-9_]*)\(\)`/g) {
    complain("lib/README.md: no function $_()") if $code !~ /\b$_\(/;
}
exit $bad;
