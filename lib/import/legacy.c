#include "import/legacy.h"

#include <string.h>

#include "import/go/count.h"
#include "import/gperftools/contention.h"
#include "import/gperftools/heap.h"
#include "import/gperftools/raw.h"
#include "import/gperftools/threads.h"
#include "import/java/java.h"
#include "import/jemalloc/jemalloc.h"
#include "import/proto.h"

static const struct legacy_kind kinds[] = {
    {"cpu", "CPU profile", gperf_sniff, gperf_begins, gperf_read,
     LEGACY_NOWHERE},
    {"heap", "heap profile", heap_begins, NULL, heap_read, LEGACY_ANYWHERE},
    {"jemalloc", "heap profile of jemalloc", jemalloc_begins, NULL,
     jemalloc_read, LEGACY_ANYWHERE},
    {"count", "count profile", count_begins, NULL, count_read, LEGACY_ANYWHERE},
    {"raw", "symbolized profile", raw_begins, NULL, raw_read, LEGACY_ANYWHERE},
    {"threads", "thread profile", threads_begins, NULL, threads_read,
     LEGACY_BELOW_MAPS},
    {"java", "Java profile", java_begins, NULL, java_read, LEGACY_ANYWHERE},
    {"contention", "contention profile", contention_begins, NULL,
     contention_read, LEGACY_ANYWHERE},
    {"proto", "profile.proto", proto_begins, NULL, proto_read, LEGACY_NOWHERE},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

const struct legacy_kind *legacy_kind(size_t i)
{
    return i < N_KINDS ? &kinds[i] : NULL;
}

const struct legacy_kind *legacy_find(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].begins(data, n))
            return &kinds[i];
    return NULL;
}

bool legacy_begins(const uint8_t *data, size_t n)
{
    const struct legacy_kind *kind = legacy_find(data, n);
    return kind && (!kind->sound || kind->sound(data, n));
}

const struct legacy_kind *legacy_named(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}
