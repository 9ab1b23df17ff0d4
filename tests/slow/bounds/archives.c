/* Archives, and compressed files in which there is more of the same. */
#include "hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A profile without anything in it but the types: as small as they get. */
static const char profile[] = "\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x01"
                              "n\x32\x01u";
enum { PROFILE = sizeof(profile) - 1 };

/* A header of tar (POSIX), and so many bytes of content. */
static void tar_entry(const char *name, char type, const void *p, size_t n)
{
    char h[512] = {0};
    unsigned sum = 0;

    (void)snprintf(h, 100, "%s", name);
    (void)snprintf(h + 100, 8, "%07o", 0644);
    (void)snprintf(h + 108, 8, "%07o", 0);
    (void)snprintf(h + 116, 8, "%07o", 0);
    (void)snprintf(h + 124, 12, "%011zo", n);
    (void)snprintf(h + 136, 12, "%011o", 0);
    memset(h + 148, ' ', 8);
    h[156] = type;
    (void)snprintf(h + 257, 6, "ustar");
    h[263] = h[264] = '0';
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)h[i];
    (void)snprintf(h + 148, 8, "%06o", sum);
    put(&out, h, sizeof(h));
    put(&out, p, n);
    fill(&out, 0, (512 - n % 512) % 512);
}

static void tar_numbered(uint64_t i, char type, const void *p, size_t n)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "e%" PRIu64, i);
    tar_entry(name, type, p, n);
}

static void tar_end(void)
{
    tar_entry("last.pb", '0', profile, PROFILE);
    fill(&out, 0, 1024);
}

static void tar_profiles(uint64_t n)
{
    for (uint64_t i = 0; i < n / 4; i++)
        tar_numbered(i, '0', profile, PROFILE);
    tar_end();
}

static void tar_folded(uint64_t n)
{
    for (uint64_t i = 0; i < n / 4; i++)
        tar_numbered(i, '0', "a;b 1\n", 6);
    fill(&out, 0, 1024);
}

/* One file, and n entries of the type that have no content. */
static void tar_of(char type, uint64_t n)
{
    tar_entry("a", '0', "a;b 1\n", 6);
    for (uint64_t i = 0; i < n; i++)
        tar_numbered(i, type, "", 0);
    fill(&out, 0, 1024);
}

static void tar_empty(uint64_t n)
{
    tar_of('0', n);
}

static void tar_links(uint64_t n)
{
    tar_of('2', n);
}

static void tar_directories(uint64_t n)
{
    tar_of('5', n);
}

/* One name in another: GNU's long names, of which the last counts. */
static void tar_names(uint64_t n)
{
    tar_entry("a", '0', "a;b 1\n", 6);
    for (uint64_t i = 0; i < n; i++)
        tar_numbered(i, 'L', "x", 2);
    tar_entry("a", '0', "a;b 1\n", 6);
    fill(&out, 0, 1024);
}

/* A record of POSIX headers with as many attributes. */
static void tar_attributes(uint64_t n)
{
    struct bytes head = {0};
    char line[64];

    for (uint64_t i = 0; i < n; i++) {
        int len = snprintf(line, sizeof(line),
                           "30 SCHILY.xattr.user.k%07" PRIu64 "=v\n", i);
        (void)snprintf(line, sizeof(line),
                       "%02d SCHILY.xattr.user.k%07" PRIu64 "=v\n", len, i);
        put(&head, line, (size_t)len);
    }
    tar_entry("x", 'x', head.v, head.n);
    tar_entry("a", '0', "a;b 1\n", 6);
    fill(&out, 0, 1024);
    free(head.v);
}

/* GNU sparse, version 1.0: a map of as many pieces of nothing. */
static void tar_sparse(uint64_t n)
{
    static const char head[] = "22 GNU.sparse.major=1\n"
                               "22 GNU.sparse.minor=0\n"
                               "26 GNU.sparse.name=sparse\n"
                               "33 GNU.sparse.realsize=100000000\n";
    struct bytes map = {0};
    char line[64];

    put(&map, line, (size_t)snprintf(line, sizeof(line), "%" PRIu64 "\n", n));
    for (uint64_t i = 0; i < n; i++)
        put(&map, line,
            (size_t)snprintf(line, sizeof(line), "%" PRIu64 "\n0\n", i));
    fill(&map, 0, (512 - map.n % 512) % 512);
    tar_entry("x", 'x', head, sizeof(head) - 1);
    tar_entry("s", '0', map.v, map.n);
    tar_entry("a", '0', "a;b 1\n", 6);
    fill(&out, 0, 1024);
    free(map.v);
}

/* gzip in gzip. */
static void gzip_nested(uint64_t n)
{
    struct bytes inner = {0};

    put(&out, profile, PROFILE);
    for (uint64_t i = 0; i < n / 400; i++) {
        z_stream z = {0};
        uLong most = 0;

        inner.n = 0;
        put(&inner, out.v, out.n);
        if (deflateInit2(&z, 1, Z_DEFLATED, 31, 8, 0) != Z_OK)
            exit(4);
        most = deflateBound(&z, inner.n);
        out.n = 0;
        fill(&out, 0, most);
        z.next_in = inner.v;
        z.avail_in = (uInt)inner.n;
        z.next_out = out.v;
        z.avail_out = (uInt)most;
        if (deflate(&z, Z_FINISH) != Z_STREAM_END)
            exit(4);
        out.n = z.total_out;
        (void)deflateEnd(&z);
    }
    free(inner.v);
}

/* A member of gzip, stored. */
static void gzip_member(const void *p, size_t n)
{
    static const uint8_t head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};

    put(&out, head, sizeof(head));
    put_word(&out, 1, 1);
    put_word(&out, n, 2);
    put_word(&out, (uint16_t)~n, 2);
    put(&out, p, n);
    put_word(&out, crc32(0, p, (uInt)n), 4);
    put_word(&out, n, 4);
}

/* Members of gzip, each a profile. */
static void gzip_members(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        gzip_member(profile, PROFILE);
}

/*
 * Members with one sample, and a sample type and a location of their own: a
 * union of them has the square of as many values.
 */
static void gzip_types(uint64_t n)
{
    enum { EACH = 25 };
    struct bytes one = {0}, part = {0};
    char name[24];

    for (uint64_t i = 0; i < n / EACH; i++) {
        one.n = 0;
        put_number(&part, 1, 1);
        put_number(&part, 2, 2);
        put_message(&one, 1, &part);
        put_number(&part, 1, 1);
        put_number(&part, 2, i + 1);
        put_message(&one, 2, &part);
        put_number(&part, 1, 1);
        put_number(&part, 3, i + 1);
        put_message(&one, 4, &part);
        put_bytes(&one, 6, "", 0);
        (void)snprintf(name, sizeof(name), "t%" PRIu64, i);
        put_bytes(&one, 6, name, strlen(name));
        put_bytes(&one, 6, "count", 5);
        gzip_member(one.v, one.n);
    }
    free(one.v);
    free(part.v);
}

const struct class archive_classes[] = {
    {"tar-profiles", tar_profiles},
    {"tar-folded", tar_folded},
    {"tar-empty", tar_empty},
    {"tar-links", tar_links},
    {"tar-directories", tar_directories},
    {"tar-names", tar_names},
    {"tar-attributes", tar_attributes},
    {"tar-sparse", tar_sparse},
    {"gzip-nested", gzip_nested},
    {"gzip-members", gzip_members},
    {"gzip-types", gzip_types},
    {"", NULL},
};
