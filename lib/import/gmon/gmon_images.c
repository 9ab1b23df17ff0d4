#include "import/gmon/gmon_images.h"

#include <string.h>

#include "base/vec.h"

void gmon_images_free(struct gmon_images *images)
{
    for (size_t i = 0; i < images->n; i++)
        free(images->v[i].path);
    vec_free(images);
}

bool gmon_images_same(const struct gmon_images *a, const struct gmon_images *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].at != b->v[i].at || a->v[i].moved != b->v[i].moved ||
            strcmp(a->v[i].path, b->v[i].path) != 0)
            return false;
    return true;
}

bool gmon_images_copy(struct gmon_images *to, const struct gmon_images *from,
                      struct err *err)
{
    for (size_t i = 0; i < from->n; i++) {
        struct gmon_image image = from->v[i];
        image.path = strdup(image.path);
        if (!image.path || !vec_push(to, image)) {
            free(image.path);
            return err_nomem(err);
        }
    }
    return true;
}
