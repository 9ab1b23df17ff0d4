# profutils: profiles of every origin to pprof's profile.proto, and on
#
#   make            the tools, in build/
#   make demo       a program profiled, converted, focused and printed
#   make check      all tests; installs what is missing
#   make lint       clang-format and clang-tidy
#   make asan       all tests against a sanitized build
#   make bench      side by side with go tool pprof
#   make install    under DESTDIR and PREFIX
#
# CC, CFLAGS, LDFLAGS and BUILD (the build directory) are yours to set.

VERSION := 0.1.0

BUILD ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config

TOOLS := prof2pb gmon2pb dcpi2pb pbmerge pbfilter pbsym pbcat
PKGS := zlib libprotobuf-c libarchive libelf libdw libpcre2-8 libxxhash
HAVE_LIBDEFLATE ?= $(shell $(PKG_CONFIG) --exists libdeflate && echo yes)
ifeq ($(HAVE_LIBDEFLATE),yes)
PKGS += libdeflate
GZ_NOT := lib/io/gz_zlib.c
else
GZ_NOT := lib/io/gz_libdeflate.c
endif

PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -liberty

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wundef
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
	-DPROFUTILS_VERSION='"$(VERSION)"' -Ilib -I$(BUILD)/gen $(WARN) \
	$(WERROR) -pthread $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(LDFLAGS)

LIB_SRC := $(filter-out $(GZ_NOT),$(sort $(wildcard lib/*/*.c)))
CMD_SRC := $(sort $(wildcard cmd/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_HELP := $(filter-out $(UNIT_SRC),$(sort $(wildcard tests/unit/*.c)))
GEN := $(BUILD)/gen/pb/profile.pb-c.c

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/profile.pb-c.o
LIB := $(BUILD)/libprofutils.a
BIN := $(CMD_SRC:cmd/%.c=$(BUILD)/%)
UNIT := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)
UNIT_OBJ := $(UNIT_HELP:%.c=$(BUILD)/obj/%.o)

.PHONY: all clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BIN)

$(BUILD)/%: $(BUILD)/obj/cmd/%.o $(LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS) $(LDLIBS)

$(LIB): $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c $(GEN)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(GEN): lib/pb/profile.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=lib/pb --c_out=$(@D) profile.proto

# Generated code keeps its own style: no warnings asked of it.
$(BUILD)/obj/gen/profile.pb-c.o: $(GEN)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -w -c -o $@ $<

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(UNIT_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $< $(UNIT_OBJ) $(LIB) $(PKG_LIBS) -lcmocka \
		$(LDLIBS)

.PHONY: unit
unit: $(UNIT)

clean:
	rm -rf $(BUILD)

-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/obj/*/*/*.d)
