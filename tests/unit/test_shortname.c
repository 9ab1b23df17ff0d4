/* name_put_short(), briefname: the short names of functions in small boxes */
#include <stdio.h>
#include <string.h>

#include "report/graph/nodes.h"
#include "unit.h"

struct name {
    const char *full, *brief;
};

static void check_with(const struct name *v,
                       bool (*put)(struct buf *to, const char *name, size_t n))
{
    for (; v->full; v++) {
        struct buf to = {0};
        assert_true(buf_puts(&to, "> "));
        assert_true(put(&to, v->full, strlen(v->full)));
        assert_true(buf_putc(&to, 0));
        assert_string_equal((char *)to.v + 2, v->brief);
        buf_free(&to);
    }
}

static void check(const struct name *v)
{
    check_with(v, name_put_short);
}

static void test_go(void **state)
{
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

static void test_brief(void **state)
{
    static const struct name names[] = {
        {"void std::sort<It<long*, V>, Less<long> >(It<long*, V>, Less<long>)",
         "std::sort<...>(...)"},
        {"unsigned long const& std::max<unsigned long>(unsigned long const&)",
         "std::max<...>(...)"},
        {"std::map<int, std::string>::find(int const&)",
         "std::map<...>::find(int const&)"},
        {"app::detail::Poly<11>::eval(double const*, double) const",
         "app::detail::Poly<11>::eval(...) const"},
        {"__sort<long unsigned int*, work(int, int)::<lambda(long)> >",
         "__sort<...>"},
        {"work(int, int)::<lambda(uint64_t, uint64_t)>",
         "work(int, int)::<lambda(...)>"},
        {"main::{lambda(unsigned long, long)#1}::operator()(unsigned, long)",
         "main::{lambda(...)#1}::operator()(...)"},
        {"bool operator< <std::allocator<char> >(A const&, A const&)",
         "operator< <...>(...)"},
        {"std::ostream& std::operator<< <std::traits<char> >(int)",
         "std::operator<< <...>(int)"},
        {"It<unsigned long*>::operator->() const",
         "It<...>::operator->() const"},
        {"X<std::vector<int> >::operator bool<int>() const",
         "X<...>::operator bool<int>() const"},
        {"decltype(a->b) f<std::vector<int> >(int)", "f<...>(int)"},
        {"std::function<void (int, long, std::vector<int>)>::operator()(int)",
         "std::function<...>::operator()(int)"},
        {"void (anonymous namespace)::run<std::string>(std::string const&)",
         "(anonymous namespace)::run<...>(...)"},
        {"non-virtual thunk to A::f<int>(int)",
         "non-virtual thunk to A::f<int>(int)"},
        {"A::operator[](std::string&&)", "A::operator[](...)"},
        {"A::operator==(std::string const&) const", "A::operator==(...) const"},
        {"operator new(unsigned long)", "operator new(...)"},
        {"void f<std::string>(std::string) [clone .cold]",
         "f<...>(...) [clone .cold]"},
        {"<alloc::vec::Vec<core::option::Option<T>> as core::ops::Drop>::drop",
         "<alloc::vec::Vec<...> as core::ops::Drop>::drop"},
        {"alloc::vec::Vec::<core::option::Option<T>>::push",
         "alloc::vec::Vec::<...>::push"},
        {"github.com/a/b/c.(*Type[github.com/d/e.F]).Method",
         "github.com/a/b/c.(*Type[github.com/d/e.F]).Method"},
        {"java.util.List.<init>(java.lang.Object)",
         "java.util.List.<init>(...)"},
        {"<no stack>", "<no stack>"},
        {"luaV_execute", "luaV_execute"},
        {"a<b<ccccccccccccccccc>", "a<b<ccccccccccccccccc>"},
        {"f(g(hhhhhhhhhhhhhhhhhh)", "f(g(hhhhhhhhhhhhhhhhhh)"},
        {"a>(b", "a>(b"},
        {"<", "<"},
        {"(", "("},
        {"operator", "operator"},
        {"", ""},
        {0},
    };
    check_with(names, name_put_brief);
}

static void test_fit(void **state)
{
    static const struct {
        const char *name;
        size_t letters;
        const char *fitting;
    } cases[] = {
        /* the name; its brief name */
        {"std::sort<long long>(int)", 25, "std::sort<long long>(int)"},
        {"std::sort<long long int>(int)", 28, "std::sort<...>(int)"},
        /* without brackets */
        {"std::sort<...>(...)", 18, "std::sort"},
        {"A<...>::f<int>(...) const", 24, "A::f<int> const"},
        {"f(..)", 4, "f(..)"},
        {"<...", 3, "<..."},
        {"", 0, ""},
        /* short, without outer scopes */
        {"ns::Thing::run", 13, "Thing::run"},
        {"std::swap", 8, "swap"},
        {"a<b::c>::d", 9, "d"},
        {"f(a::b)", 3, "f(a::b)"},
        {"<a::B as c::D>::e", 16, "e"},
        {"a::", 1, "a::"},
        {"::f", 2, "f"},
        {"a>::b", 4, "b"},
        {"std::ranges::sort", 12, "ranges::sort"},
        {"std::ranges::sort", 11, "sort"},
        {"std::ranges::sort", 2, "sort"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct prof_slice name = {cases[i].name, strlen(cases[i].name)};
        struct buf to = {0};
        assert_true(name_put_fitting(&to, name, cases[i].letters));
        assert_true(buf_putc(&to, 0));
        assert_string_equal((char *)to.v, cases[i].fitting);
        buf_free(&to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_go),  cmocka_unit_test(test_java),
        cmocka_unit_test(test_cxx), cmocka_unit_test(test_brief),
        cmocka_unit_test(test_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
