# pbcat --text=gprof and --tree=gprof with profiles that gmon2pb does not write.
# That of gmon2pb is compared with gprof's in gmon2pb_gprof.bats.

load helper

# Two functions that call each other, and two more calls of the second.
cycle() { # CALLS
    encode <<END
string_table: ["", "calls", "count", "cpu", "nanoseconds", "f1", "f2", "f3"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
function { id: 1 name: 5 }
function { id: 2 name: 6 }
function { id: 3 name: 7 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
sample { location_id: 1 location_id: 2 value: 1 value: 1 }
sample { location_id: 2 location_id: 1 value: 1 value: 1 }
sample { location_id: 1 value: $1 value: 1 }
sample { location_id: 2 value: $1 value: 1 }
sample { location_id: 2 location_id: 3 value: 2 value: 0 }
END
}

@test "a profile without call counts is warned of once" {
    encode >cpu.pb <<'END'
string_table: ["", "cpu", "nanoseconds", "f"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
location { id: 1 line { function_id: 1 } }
sample { location_id: 1 value: 1000000000 }
END
    for option in --text=gprof --tree=gprof --text=gprof\ --focus=f; do
        # shellcheck disable=SC2086 # several words
        expect 0 pbcat $option cpu.pb
        same_err "pbcat: cpu.pb: warning: the profile has no sample type 'calls'; no calls are shown"
    done
}

@test "calls of a cycle that exceed 64 bits are an error" {
    local most=9223372036854775807
    cycle $((most - 1)) >fits.pb
    expect 0 pbcat --tree=gprof fits.pb
    [[ $output = *' 18446744073709551614+2 '*'<cycle 1 as a whole>'* ]]
    [[ $output != *nan* && $output != *inf* ]]
    cycle $most >more.pb
    expect 3 pbcat --tree=gprof more.pb
    same_err 'pbcat: more.pb: the calls of a cycle exceed 64 bits'
    expect 3 pbcat --text=gprof more.pb
}
