#include "report/flame/flamecolour.h"

#include <math.h>

static uint32_t fnv1a(struct text_slice text)
{
    uint32_t hash = 0x811c9dc5;
    for (size_t i = 0; i < text.n; i++)
        hash = (hash ^ (uint8_t)text.s[i]) * 0x01000193;
    return hash;
}

/* One of red, green and blue: 0, 8 or 4 (https://www.w3.org/TR/css-color-4). */
static uint32_t channel(double hue, double saturation, double light, int n)
{
    double k = fmod(n + hue / 30, 12);
    double a = saturation * fmin(light, 1 - light);
    double x = light - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
    return (uint32_t)(x * 255 + 0.5);
}

static uint32_t rgb(uint32_t r, uint32_t g, uint32_t b)
{
    return r << 16 | g << 8 | b;
}

uint32_t flame_colour(struct text_slice package, struct text_slice name)
{
    if (!package.n)
        return FLAME_PLAIN;
    double hue = fnv1a(package) % 36 * 10;
    double light = (75 + 2.2 * (fnv1a(name) % 5)) / 100;
    return rgb(channel(hue, 0.46, light, 0), channel(hue, 0.46, light, 8),
               channel(hue, 0.46, light, 4));
}

/* From one to the other. */
static uint32_t mix(int from, int to, double part)
{
    return (uint32_t)(from + (to - from) * part + 0.5);
}

uint32_t flame_change_colour(double now, double old)
{
    static const int same[] = {233, 233, 236}, more[] = {235, 92, 74},
                     less[] = {84, 142, 240};
    double most = fmax(fabs(now), fabs(old));
    double change = most > 0 ? (now - old) / most : 0;
    const int *to = change > 0 ? more : less;
    double part = fmin(fabs(change), 1);
    return rgb(mix(same[0], to[0], part), mix(same[1], to[1], part),
               mix(same[2], to[2], part));
}
