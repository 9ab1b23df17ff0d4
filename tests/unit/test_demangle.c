/*
 * Names by the rules of the Itanium C++ ABI
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling) and of Rust
 * (https://doc.rust-lang.org/rustc/symbol-mangling/).
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/columns.h"
#include "symbolize/demangle.h"
#include "symbolize/symbol.h"
#include "unit.h"

struct name {
    const char *mangled;
    const char *shown, *templates, *full;
};

/* Where a form is null it is the one before. */
static const struct name names[] = {
    {"_Z3foov", "foo", NULL, "foo()"},
    {"_ZN2ns3Foo3barEi", "ns::Foo::bar", NULL, "ns::Foo::bar(int)"},
    {"_ZNK2ns3Foo3barEv", "ns::Foo::bar", NULL, "ns::Foo::bar() const"},
    {"_Z3addIiET_S0_S0_", "add", "add<int>", "int add<int>(int, int)"},
    {"_ZN3VecIiE4pushERKi", "Vec::push", "Vec<int>::push",
     "Vec<int>::push(int const&)"},
    {"_ZN3VecI4PairIicEE4pushEv", "Vec::push", "Vec<Pair<int, char> >::push",
     "Vec<Pair<int, char> >::push()"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back",
     "std::vector<int, std::allocator<int> >::push_back",
     "std::vector<int, std::allocator<int> >::push_back(int const&)"},
    {"_ZN3VecIiEC1Ev", "Vec::Vec", "Vec<int>::Vec", "Vec<int>::Vec()"},
    {"_ZN3VecIiED2Ev", "Vec::~Vec", "Vec<int>::~Vec", "Vec<int>::~Vec()"},
    {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo", NULL,
     "(anonymous namespace)::foo()"},
    /* Operators whose names have brackets of their own. */
    {"_Zlt3FooS_", "operator<", NULL, "operator<(Foo, Foo)"},
    {"_ZltIiEbT_S0_", "operator<", "operator< <int>",
     "bool operator< <int>(int, int)"},
    {"_ZN3FoolsEi", "Foo::operator<<", NULL, "Foo::operator<<(int)"},
    {"_ZN3FooptEv", "Foo::operator->", NULL, "Foo::operator->()"},
    {"_ZN3VecIiEclEv", "Vec::operator()", "Vec<int>::operator()",
     "Vec<int>::operator()()"},
    {"_ZN3FoocviEv", "Foo::operator int", NULL, "Foo::operator int()"},
    {"_ZN3Foocv3VecIiEEv", "Foo::operator Vec", "Foo::operator Vec<int>",
     "Foo::operator Vec<int>()"},
    /* Local to a function: the parameters of that go as well. */
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()", NULL,
     "main::{lambda()#1}::operator()() const"},
    {"_ZZ3fooIiEiT_ENKUliE_clEi", "foo()::{lambda(int)#1}::operator()",
     "foo<int>()::{lambda(int)#1}::operator()",
     "foo<int>(int)::{lambda(int)#1}::operator()(int) const"},
    {"_ZZN2ns3barEiE1x", "ns::bar()::x", NULL, "ns::bar(int)::x"},
    /* Clones of the compiler. */
    {"_Z3fooi.isra.0", "foo", NULL, "foo(int)"},
    {"_ZL3fooi.constprop.0.cold", "foo", NULL, "foo(int)"},
    /* The standard abbreviation of a class with arguments. */
    {"_ZNSsC1EPKc", "std::basic_string::basic_string",
     "std::basic_string<char, std::char_traits<char>, std::allocator<char> "
     ">::basic_string",
     "std::basic_string<char, std::char_traits<char>, std::allocator<char> "
     ">::basic_string(char const*)"},
    /* Rust, legacy: the hash goes, the text has no arguments to cut. */
    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
     "core::fmt::Write::write_fmt", NULL, NULL},
    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123456",
     "core::fmt::Write::write_fmt", NULL, NULL},
    {"_ZN3foo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
     "foo::{{closure}}", NULL, NULL},
    {"_ZN38_$LT$a..B$u20$as$u20$c..D$LT$E$GT$$GT$1f17h0123456789abcdefE",
     "<a::B as c::D<E>>::f", NULL, NULL},
    /* Rust, v0. */
    {"_RNvC5krate4main", "krate::main", NULL, NULL},
    {"_RNvNtCs1234_5krate3mod3foo", "krate::mod::foo", NULL, NULL},
    {"_RINvC5krate3foomE", "krate::foo::<>", "krate::foo::<u32>", NULL},
    {"_RNCNvC5krate4main0", "krate::main::{closure#0}", NULL, NULL},
    {"_RNvXC5krateNtB2_1AINtB2_1BmE1f", "<krate::A as krate::B<>>::f",
     "<krate::A as krate::B<u32>>::f", NULL},
};

static void check(const char *mangled, enum sym_demangle how, const char *want)
{
    char *s = sym_demangle(mangled, how);
    if (want) {
        assert_non_null(s);
        assert_string_equal(s, want);
    } else {
        assert_null(s);
    }
    free(s);
}

static void all_forms(void **state)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct name *n = &names[i];
        const char *templates = n->templates ? n->templates : n->shown;
        print_message("# %s\n", n->mangled);
        check(n->mangled, SYM_DEMANGLE_DEFAULT, n->shown);
        check(n->mangled, SYM_DEMANGLE_TEMPLATES, templates);
        check(n->mangled, SYM_DEMANGLE_FULL, n->full ? n->full : templates);
        check(n->mangled, SYM_DEMANGLE_NONE, NULL);
    }
}

/* libiberty would take longer than anybody waits. */
static void many_postfix_operators(void **state)
{
    static const char name[] = "_Z1fIJidEEvDpT_DTcl1gsp"
                               "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
                               "ppppppppppppppppppppppppppppppppppppppppfp_EE";
    check(name, SYM_DEMANGLE_FULL, NULL);
    check(
        "_Z1fIJidEEvDpT_DTcl1gspmmppfp_EE", SYM_DEMANGLE_FULL,
        "void f<int, double>(int, double, decltype (g((({parm#1}++)--)...)))");
}

static void plain_names_are_none(void **state)
{
    static const char *const plain[] = {"",
                                        "main",
                                        "_start",
                                        "_Z",
                                        "_R",
                                        "_ZZZ",
                                        "_Zebra",
                                        "_ZN3foo3bar",
                                        "runtime.main",
                                        "_RNvXC5krateNtB2_1AT1f"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        check(plain[i], SYM_DEMANGLE_DEFAULT, NULL);
}

static void clones_have_bases(void **state)
{
    static const struct {
        const char *symbol;
        size_t base;
    } clones[] = {
        {"f", 1},
        {"f.isra.0", 1},
        {"f.part.0.cold", 1},
        {"f.constprop.0", 1},
        {"f.lto_priv.3", 1},
        {"f.llvm.123", 1},
        {"inner.7", 5},
        {"f.__uniq.12", 1},
        {"f.cold.1", 1},
        {"runtime.main", 12},
        {"main.init.0", 11},
        {"f.", 2},
        {".part.0", 7},
        {"f..cold", 7},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++) {
        const char *s = clones[i].symbol;
        print_message("# %s\n", s);
        assert_int_equal(prof_base_length((struct prof_slice){s, strlen(s)}),
                         clones[i].base);
    }
}

static void repeat(struct buf *b, const char *s, size_t n)
{
    while (n--)
        assert_true(buf_puts(b, s));
}

/* Deep, long and explosive names end, in whatever form. */
static void bombs(void **state)
{
    for (int kind = 0; kind < 7; kind++) {
        struct buf b = {0};
        switch (kind) {
        case 0: /* a type 8000 pointers deep */
            repeat(&b, "_Z1f", 1);
            repeat(&b, "P", 8000);
            repeat(&b, "i", 1);
            break;
        case 1: /* the same, too long to be tried */
            repeat(&b, "_Z1f", 1);
            repeat(&b, "P", 3000000);
            repeat(&b, "i", 1);
            break;
        case 2: /* templates in templates */
            repeat(&b, "_Z1f", 1);
            repeat(&b, "1AI", 2000);
            repeat(&b, "i", 1);
            repeat(&b, "E", 2000);
            break;
        case 3: /* scopes in scopes */
            repeat(&b, "_ZN", 1);
            repeat(&b, "1A", 4000);
            repeat(&b, "E", 1);
            break;
        case 4: /* each parameter twice the one before */
            repeat(&b,
                   "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_E"
                   "S_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_E"
                   "S_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_E"
                   "S_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI_SI_E"
                   "S_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_E"
                   "S_ISO_SO_ES_ISP_SP_ES_ISQ_SQ_ES_ISR_SR_ES_ISS_SS_E",
                   1);
            break;
        case 5: /* Rust in Rust */
            repeat(&b, "_R", 1);
            repeat(&b, "INvC1a1b", 800);
            repeat(&b, "E", 800);
            break;
        default: /* function types as results of function types */
            repeat(&b, "_Z1f", 1);
            repeat(&b, "PF", 3000);
            repeat(&b, "iv", 1);
            repeat(&b, "E", 3000);
            break;
        }
        assert_true(buf_putc(&b, 0));
        for (int how = 0; how <= SYM_DEMANGLE_NONE; how++)
            free(sym_demangle((char *)b.v, (enum sym_demangle)how));
        if (kind == 1 || kind == 4)
            check((char *)b.v, SYM_DEMANGLE_FULL, NULL);
        buf_free(&b);
    }
}

static void arguments_are_cut(void **state)
{
    static const char *const cuts[][3] = {
        {"f<int>", "f", "f<>"},
        {"f<int, g<char> >", "f", "f<>"},
        {"a<b>::c<d>", "a::c", "a<>::c<>"},
        {"<A as B<C>>::f", "<A as B>::f", "<A as B<>>::f"},
        {"f<fn() -> u8>::g", "f::g", "f<>::g"},
        {"f<", "f", "f<"},
        {"f>", "f>", "f>"},
        {"plain", "plain", "plain"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (int brackets = 0; brackets < 2; brackets++) {
            char *s = strdup(cuts[i][0]);
            assert_non_null(s);
            sym_cut_arguments(s, brackets);
            assert_string_equal(s, cuts[i][1 + brackets]);
            free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms),
        cmocka_unit_test(many_postfix_operators),
        cmocka_unit_test(plain_names_are_none),
        cmocka_unit_test(clones_have_bases),
        cmocka_unit_test(bombs),
        cmocka_unit_test(arguments_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
