"""Writes a profile of stacks and counts as write.c does, by ctypes

libprofile has no shared object before version 1.0, so make one of libprofile.a:

    cc -shared -o libprofile.so -Wl,--whole-archive \
        $(pkg-config --libs profile) -Wl,--no-whole-archive
    python3 write.py ./libprofile.so <stacks >profile.pb.gz
"""
import ctypes
import sys
from ctypes import byref, c_bool, c_int, c_int64, c_size_t, c_uint32, c_void_p

PROF_NONE = 0xFFFFFFFF


class Slice(ctypes.Structure):
    _fields_ = [("s", ctypes.c_char_p), ("n", c_size_t)]


class Err(ctypes.Structure):
    _fields_ = [("kind", c_int), ("about", c_int), ("text", ctypes.c_char * 1024)]


class Namemap(ctypes.Structure):
    _fields_ = [("row", c_void_p), ("n", c_size_t), ("cap", c_size_t)]


lib, err = ctypes.CDLL(sys.argv[1]), Err()


def call(name, result, *arguments):
    """Calls a function of profile.h whose last parameter is the error."""
    function = lib[name]
    function.restype = result
    return function(*arguments, byref(err)) or sys.exit(err.text.decode())


profile, names = c_void_p(call("prof_new", c_void_p)), Namemap()
call("prof_add_type", c_bool, profile, b"samples", b"count")
for line in sys.stdin.buffer:
    stack, _, count = line.rpartition(b" ")
    frames = []
    for name in reversed(stack.split(b";")):
        location = c_uint32()
        call("prof_namemap_get", c_bool, byref(names), profile,
             c_uint32(PROF_NONE), Slice(name, len(name)), byref(location))
        frames.append(location.value)
    call("prof_add_sample", c_bool, profile, (c_uint32 * len(frames))(*frames),
         c_size_t(len(frames)), byref(c_int64(int(count))), c_uint32(0))
call("prof_write_fd", c_bool, profile, 1, 1)
lib.prof_namemap_free(byref(names))
lib.prof_delete(profile)
