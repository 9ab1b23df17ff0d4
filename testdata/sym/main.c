#include <stdio.h>
unsigned both(unsigned *state, const unsigned *v, int n);
int main(void)
{
    unsigned v[] = {1, 2, 3}, state = 1;
    printf("%u\n", both(&state, v, 3));
    return 0;
}
