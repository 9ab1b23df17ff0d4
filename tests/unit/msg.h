/*
 * msg.h - protobuf messages written by hand, for tests of the decoder
 *
 * Each function appends one field to a buffer; nothing is checked, so that
 * wrong messages can be made as well as right ones.
 */
#ifndef PROFUTILS_TESTS_MSG_H
#define PROFUTILS_TESTS_MSG_H

#include "base/buf.h"

void msg_varint(struct buf *b, uint64_t v);
void msg_tag(struct buf *b, unsigned field, unsigned wire_type);
void msg_num(struct buf *b, unsigned field, uint64_t v);
void msg_bytes(struct buf *b, unsigned field, const void *s, size_t n);
void msg_str(struct buf *b, unsigned field, const char *s);

/* The message *inner as a field; *inner is emptied. */
void msg_sub(struct buf *b, unsigned field, struct buf *inner);

/* n numbers packed. */
void msg_packed(struct buf *b, unsigned field, const uint64_t *v, size_t n);

#endif
