#include "cli/repair.h"
#include "cli/checkup.h"

#include <string.h>

#include "check/check.h"
#include "check/repair.h"
#include "cli/private.h"
#include "io/kind.h"
#include "pb/tolerant.h"

struct repairing {
    struct cli *cli;
    struct cli_sum whole;
};

static bool refuse(const struct input_part *part, struct err *err)
{
    const char *words = kind_words(part->data, part->n);
    if (!part->n)
        return err_set(err, ERR_INPUT, "cannot be repaired: it is empty%s%s",
                       part->damage ? ": " : "",
                       part->damage ? part->damage : "");
    return err_set(err, ERR_INPUT, "cannot be repaired: %s%s",
                   words ? "this is " : "",
                   words ? words : "not a profile.proto message");
}

static void tell_damage(const struct notes *notes,
                        const struct input_part *part)
{
    const struct check_rule_info *trailing = &check_rules[RULE_TRAILING_DATA];
    const struct check_rule_info *damaged = &check_rules[RULE_DAMAGED];
    if (part->trailing)
        note_loss(notes, "repaired: %s: %s: %s", trailing->name, part->damage,
                  trailing->remedy);
    else if (part->rest)
        note_loss(notes, "repaired: %s: %s: %s", damaged->name, part->damage,
                  damaged->remedy);
    else
        note_loss(notes, "repaired: %s: %s; %zu bytes came out: %s",
                  damaged->name, part->damage, part->n, damaged->remedy);
}

static bool take_part(void *ctx, const char *name,
                      const struct input_part *part, struct err *err)
{
    struct repairing *r = ctx;
    struct cli_notes notes;
    cli_notes_init(&notes, r->cli, name);
    if (!part->rest && (!part->n || cli_is_other_kind(part)))
        return refuse(part, err);
    if (part->damage)
        tell_damage(&notes.notes, part);
    if (!notes_lossless(&notes.notes, err))
        return false;
    if (part->rest)
        return true;
    struct profile p;
    bool ok = repair_message(part->data, part->n, &p, &notes.notes, err) &&
              cli_sum_add(&r->whole, &p, err) &&
              notes_lossless(&notes.notes, err);
    prof_free(&p);
    return ok;
}

bool cli_read_repaired(struct cli *cli, struct profile *p)
{
    struct repairing r = {.cli = cli};
    struct cli_parts parts = {.begins = tolerant_begins,
                              .fn = take_part,
                              .ctx = &r,
                              .flags = CLI_WALK_SALVAGE};
    bool ok = true;
    memset(p, 0, sizeof *p);
    for (size_t i = 0; ok && i < cli->n_inputs; i++)
        ok = cli_input_parts(&parts, cli, cli->inputs[i]);
    cli_parts_free(&parts);
    return cli_sum_finish(&r.whole, cli, ok, NULL, p);
}
