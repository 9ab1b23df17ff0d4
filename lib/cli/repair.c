#include "cli/repair.h"
#include "cli/checkup.h"

#include <string.h>

#include "check/begins.h"
#include "check/mend.h"
#include "check/rules.h"
#include "cli/private.h"
#include "io/kind.h"

struct repairing {
    struct cli *cli;
    struct cli_sum whole;
};

static bool take_profile(void *ctx, struct profile *p, struct err *err)
{
    return cli_sum_add(ctx, p, err);
}

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
    const struct doctor_rule_info *trailing = &doctor_rules[RULE_TRAILING_DATA];
    const struct doctor_rule_info *damaged = &doctor_rules[RULE_DAMAGED];
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
    return part->rest || (doctor_mend(part->data, part->n, &notes.notes,
                                      take_profile, &r->whole, err) &&
                          notes_lossless(&notes.notes, err));
}

bool cli_read_repaired(struct cli *cli, struct profile *p)
{
    struct repairing r = {.cli = cli};
    struct cli_parts parts = {.begins = doctor_begins,
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
