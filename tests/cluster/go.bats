# examples/profiles.mk with tests of Go, which take seconds to build

load cluster

@test "profiles.mk with tests of Go" {
    export EXAMPLES
    settings Go >settings
    grep -q PROFILE_RUN settings
    {
        echo 'all:'
        echo 'PROFILE_TESTS = lexer parser'
        cat settings
        echo 'include $(EXAMPLES)/profiles.mk'
    } >Makefile
    printf 'module example\n\ngo 1.19\n' >go.mod
    for name in lexer parser; do
        mkdir "$name"
        cat >"$name/${name}_test.go" <<GO
package $name

import "testing"

var sum int

// A fixed amount of work takes processor time on a busy machine, too.
func spin_$name() {
	for i := 0; i < 100000000; i++ { sum += i }
}

func Test(t *testing.T) { spin_$name() }
GO
    done
    make -s -j2 profile
    grep spin_lexer profiles/report.txt
    grep spin_parser profiles/report.txt
    pbmerge profiles/{lexer,parser}.pb.gz | cmp - profiles/all.pb.gz
}
