/* The greatest errors of functions against those of the C library in more bits, in units in the last place.

   NAME, REAL, MORE, LIBRARY, BITS, LEAST and ARGUMENTS are given. All exponents and both signs are sampled, at places
   next to each other and at random ones. Infinity counts as the first number that has no exponent. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

REAL tested(REAL a, REAL b);

static uint64_t state = 1;

static uint64_t bits(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static REAL number(WORD exponent, int near)
{
  WORD fraction = near ? (WORD)(bits() % 5 - 2) : (WORD)bits(), word;
  REAL value;
  word = (fraction & (((WORD)1 << (BITS - 1)) - 1)) | exponent << (BITS - 1);
  memcpy(&value, &word, sizeof value);
  return bits() & 1 ? -value : value;
}

static MORE unit(MORE exact)
{
  int exponent = exact == 0 ? LEAST : ilogbl(exact);
  return ldexpl(1, (exponent < LEAST ? LEAST : exponent) - (BITS - 1));
}

int main(int count, char **arguments)
{
  MORE worst = 0, top = ldexpl(1, 2 - LEAST);
  REAL where[2] = {0, 0};
  WORD last = (WORD)(2 * (1 - LEAST));
  for (WORD exponent = 0; exponent <= last; exponent++)
    for (int k = 0; k < atoi(arguments[1]); k++) {
      REAL a = number(exponent, k & 1), b = number(bits() % (last + 1), 0);
      if (ARGUMENTS == 2 && (a = fabs(a)) > 0 && a != 1)
        b = (REAL)((double)(bits() % 2400) / 1000 - 1.2) * (REAL)(-LEAST * log(2) / log(a));
      if (!isfinite(b)) continue;
      MORE exact = LIBRARY, found = tested(a, b);
      if (isnan(exact) || isinf(exact)) {
        if (isnan(exact) ? !isnan(found) : found != exact) worst = 1e9, where[0] = a, where[1] = b;
        continue;
      }
      if (isinf(found) && fabsl(exact) < top) found = found > 0 ? top : -top;
      MORE limit = fabsl(exact) >= top ? top / 2 : exact;
      MORE error = isinf(found) ? (fabsl(exact) >= top && (found > 0) == (exact > 0) ? 0 : 1e9)
                                : fabsl(found - exact) / unit(limit);
      if (!(error <= worst)) worst = error, where[0] = a, where[1] = b;
    }
  (void)count;
  printf("%.6Lf %a %a\n", (long double)worst, (double)where[0], (double)where[1]);
  return 0;
}
