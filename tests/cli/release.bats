# Releases: one version everywhere, and the tarball that `make dist` makes

load helper

setup() {
    setup_scratch
    version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
}

@test "tools, pages, changelogs and Makefile have one version" {
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    local file
    for file in "$ROOT"/cmd/*.c; do
        file=$(basename "$file" .c)
        expect 0 "$file" --version
        [ "${lines[0]}" = "$file (profutils) $version" ]
    done
    for file in "$ROOT"/man/*.[1357]; do
        # The source says no version, and what is installed does.
        mandoc -T utf8 "$file" | tail -n 1 | grep '^profutils  .*  profutils$'
        mandoc -T utf8 "$BUILD/man/${file##*/}" | tail -n 1 |
            grep "^profutils $version  .*  profutils $version\$"
    done
    [ "$(sed -n 's/^## \([0-9][^ ]*\) (.*)$/\1/p' "$ROOT/CHANGELOG.md" |
        head -n 1)" = "$version" ]
    # The tarball is without it.
    [ ! -e "$ROOT/debian" ] || [ "$(dpkg-parsechangelog -S Version \
        -l "$ROOT/debian/changelog")" = "$version-1" ]
}

# A repository of two commits; the first is not of today.
repository() { # DIRECTORY
    mkdir -p "$1/man/deep" "$1/.ci" "$1/debian"
    echo rules >"$1/debian/rules"
    cp "$ROOT/.ci/dist" "$1/.ci"
    printf 'VERSION := 1.2.3\n' >"$1/Makefile"
    printf '# Changelog\n\n## 1.2.3 (2026-11-30)\n' >"$1/CHANGELOG.md"
    echo page >"$1/man/page.1"
    echo deep >"$1/man/deep/page.1"
    (
        cd "$1"
        git init -q -b main .
        git config user.name somebody
        git config user.email somebody@example.org
        git add .
        GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000000 +0100' \
            git commit -q -m one
        git tag v1.2.3
        echo later >later
        git add later
        git commit -q -m two
    )
}

@test "make dist: a tarball of the commit, whoever makes it and wherever" {
    repository one
    mkdir -m 700 two
    git clone -q one 'two/another place'
    (cd one && expect 0 .ci/dist v1.2.3 && same profutils-1.2.3.tar.gz &&
        [ -z "$stderr" ])
    (
        cd 'two/another place'
        umask 077
        git config tar.umask 0077
        git config core.autocrlf true
        echo 'man export-ignore' >../attributes
        git config core.attributesFile "$PWD/../attributes"
        echo changed >Makefile # and not committed
        touch -d 2001-01-01 man/page.1
        LC_ALL=C.UTF-8 TZ=Asia/Tokyo GZIP=-1 .ci/dist v1.2.3
    )
    cmp one/profutils-1.2.3.tar.gz 'two/another place/profutils-1.2.3.tar.gz'
    TZ=UTC tar --numeric-owner --full-time -tvzf one/profutils-1.2.3.tar.gz |
        awk '{ print $1, $2, $4, $5, $6 }' >listed
    diff -u - listed <<'END'
drwxr-xr-x 0/0 2023-11-14 22:13:20 profutils-1.2.3/
drwxr-xr-x 0/0 2023-11-14 22:13:20 profutils-1.2.3/.ci/
-rwxr-xr-x 0/0 2023-11-14 22:13:20 profutils-1.2.3/.ci/dist
-rw-r--r-- 0/0 2023-11-14 22:13:20 profutils-1.2.3/CHANGELOG.md
-rw-r--r-- 0/0 2023-11-14 22:13:20 profutils-1.2.3/Makefile
drwxr-xr-x 0/0 2023-11-14 22:13:20 profutils-1.2.3/man/
drwxr-xr-x 0/0 2023-11-14 22:13:20 profutils-1.2.3/man/deep/
-rw-r--r-- 0/0 2023-11-14 22:13:20 profutils-1.2.3/man/deep/page.1
-rw-r--r-- 0/0 2023-11-14 22:13:20 profutils-1.2.3/man/page.1
END
    # The header of gzip has neither a time nor a name.
    [ "$(od -An -tx1 -N9 one/profutils-1.2.3.tar.gz)" = \
        ' 1f 8b 08 00 00 00 00 00 02' ]
}

@test "make dist says what is no release, and refuses what cannot be one" {
    repository one
    cd one
    expect 0 .ci/dist
    same profutils-1.2.3.tar.gz
    [ "$stderr" = "dist: not a release: commit $(git rev-parse --short=12 \
        HEAD) has no tag v1.2.3" ]
    tar -tzf profutils-1.2.3.tar.gz profutils-1.2.3/later

    rm profutils-1.2.3.tar.gz
    expect 1 .ci/dist v9
    [ "$stderr" = 'dist: no such revision: v9' ]
    sed -i 's/2026-11-30/not yet released/' CHANGELOG.md
    git commit -q -a -m three
    git tag -f v1.2.3
    expect 1 .ci/dist
    [ "$stderr" = "dist: tag v1.2.3: CHANGELOG.md has no date of release: \
'## 1.2.3 (not yet released)'" ]
    echo 'VERSION := 1.2.4' >Makefile
    git commit -q -a -m four
    expect 1 .ci/dist
    [ "$stderr" = "dist: CHANGELOG.md begins with \
'## 1.2.3 (not yet released)': expected version 1.2.4" ]
    mv .git gone
    GIT_CEILING_DIRECTORIES=$PWD/.. expect 1 .ci/dist
    [ "$stderr" = \
        'dist: not a git repository; a tarball is made from a commit' ]
    [ ! -e profutils-1.2.3.tar.gz ]
    [ -z "$(find . -maxdepth 1 -name '.profutils*')" ]
}
