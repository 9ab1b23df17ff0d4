/* shortname.h: what small boxes call functions */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/shortname.h"

struct name {
    const char *full, *brief;
};

static void check(const struct name *v)
{
    for (; v->full; v++) {
        struct buf to = {0};
        assert_true(buf_puts(&to, "> "));
        assert_true(shortname_put(&to, v->full, strlen(v->full)));
        assert_true(buf_putc(&to, 0));
        assert_string_equal((char *)to.v + 2, v->brief);
        buf_free(&to);
    }
}

static void test_go(void **state)
{
    (void)state;
    static const struct name names[] = {
        {"runtime.main", "runtime.main"},
        {"net/http.(*conn).serve", "http.(*conn).serve"},
        {"example.org/Team/some_thing.Do", "some_thing.Do"},
        {"a-b/c.F[...]", "c.F[...]"},
        {"encoding/json.(*enc).(encoding/json.put)-fm",
         "json.(*enc).(encoding/json.put)-fm"},
        {"gopkg.in/yaml.v3.(*parser).(gopkg.in/yaml.v3.peek)-fm",
         "yaml.v3.(*parser).(gopkg.in/yaml.v3.peek)-fm"},
        {"example.org/thing/v2.Run", "thing.Run"},
        {"example.org/thing/v10/part.Run", "part.Run"},
        {"example.org/thing/v1.Run", "v1.Run"},
        {"example.org/thing/v02.Run", "v02.Run"},
        {"example.org/v2x.Run", "v2x.Run"},
        {"a.b/v3/v3.Run", "v3.Run"},
        {"/usr/bin/tool.run", "/usr/bin/tool.run"},
        {"a//b.c", "/b.c"},
        {"a/b", "a/b"},
        {"a/b.", "a/b."},
        {"a/.b", "a/.b"},
        {"a/b.c\nd", "b.c"},
        {"a/v2\n.b.c", "v2\n.b.c"},
        {0},
    };
    check(names);
}

static void test_java(void **state)
{
    (void)state;
    static const struct name names[] = {
        {"java.util.concurrent.Pool$Worker.run", "Pool$Worker.run"},
        {"com.sun.proxy.$Proxy1.run", "com.sun.proxy.$Proxy1.run"},
        {"org.x.Thing.run(java.lang.Runnable)", "Thing.run"},
        {"org.x.Thing.lambda$main$0", "Thing.lambda$main$0"},
        {"org.x.Thing.<init>(int)", "Thing.<init>"},
        {"org.x.Thing.<clinit>", "org.x.Thing.<clinit>"},
        {"Thing.run", "Thing.run"},
        {"org.x.Thing.Run", "org.x.Thing.Run"},
        {"org.x.Thing.run()V", "Thing.run"},
        {"org.x.Thing.run[]", "org.x.Thing.run[]"},
        {"org.x.Thing", "org.x.Thing"},
        {"org.x", "org.x"},
        {0},
    };
    check(names);
}

static void test_cxx(void **state)
{
    (void)state;
    static const struct name names[] = {
        {"std::vector::push_back", "std::vector::push_back"},
        {"ns::Thing::run", "Thing::run"},
        {"ns::Thing::run(int)", "Thing::run"},
        {"ns::Thing::~Thing", "Thing::~Thing"},
        {"ns::Thing::run<a::B>(a::B) const", "Thing::run<a::B>"},
        {"ns::Thing::run<a", "Thing::run"},
        {"a::b::_Thing::Run", "_Thing::Run"},
        {"a::B::C::run", "C::run"},
        {"a::B::c::run", "B::c"},
        {"Thing::run", "Thing::run"},
        {"(anonymous namespace)::Thing::run", "Thing::run"},
        {"(anonymous namespace)::run", "run"},
        {"ns::(anonymous namespace)::Thing::run",
         "ns::(anonymous namespace)::Thing::run"},
        {"ns::Thing::operator+", "Thing::operator"},
        {"ns::Thing::1", "ns::Thing::1"},
        {"", ""},
        {"::", "::"},
        {0},
    };
    check(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_go),
        cmocka_unit_test(test_java),
        cmocka_unit_test(test_cxx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
