/*
 * What objdump prints, whatever names the binary has.
 */
#include "fuzz.h"
#include "symbolize/objdump.h"

static void check(const struct sym_code *code, struct sym_text t)
{
    FUZZ_CHECK(t.n <= code->printed.n && t.at <= code->printed.n - t.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct sym_code code = {0};
    struct prof_err err = {0};
    FUZZ_CHECK(buf_put(&code.printed, data, n));
    if (!sym_code_parse(&code, &err))
        fuzz_refused(&err);
    for (size_t i = 0; i < code.v.n; i++) {
        check(&code, code.v.v[i].text);
        check(&code, code.v.v[i].function);
        check(&code, code.v.v[i].file);
    }
    sym_code_free(&code);
    return 0;
}
