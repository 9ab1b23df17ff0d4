# make install and uninstall, under DESTDIR and PREFIX
#
# The tools are not made again (-o all): others are at work with them.

load helper

TOOLS='prof2pb gmon2pb dcpi2pb folded2pb pbmerge pbfilter pbsym pbcat'

make_there() {
    make -s -C "$ROOT" -o all BUILD="$BUILD" DESTDIR="$PWD/dest" PREFIX=/usr "$@"
}

@test "install puts tools, manual, completions and licence in place" {
    make_there install
    for tool in $TOOLS; do
        echo "usr/bin/$tool"
        echo "usr/share/bash-completion/completions/$tool"
        echo "usr/share/fish/vendor_completions.d/$tool.fish"
        echo "usr/share/man/man1/$tool.1"
        echo "usr/share/zsh/site-functions/_$tool"
    done >wanted
    echo usr/share/man/man7/profutils.7 >>wanted
    for document in LICENSE README.md pbcat.schema.json \
        pbcat.jsonl.schema.json; do
        echo "usr/share/doc/profutils/$document"
    done >>wanted
    (cd dest && find . -type f) | cut -c3- | sort | diff -u <(sort wanted) -
    [ -x dest/usr/bin/pbcat ]
    [ ! -x dest/usr/share/man/man1/pbcat.1 ]
}

@test "uninstall takes away what install has put" {
    make_there install
    make_there uninstall
    [ -z "$(find dest -type f)" ]
}
