/* What is made of the normal distribution's tail. */
#ifndef TORCHNNAPI_NORMAL_H
#define TORCHNNAPI_NORMAL_H

#include "functions.h"

/*
 * x times the probability that a normally distributed number is below x. With m = |x|, that above m is exp(-m^2 / 2)
 * times a function that falls slowly: here a polynomial in (m - 3.5) / (m + 3.5) over m + 3.5, whose largest relative
 * error (Remez) is 8e-9 up to 15.
 */
INLINE floats gaussian_error_linear(floats x) {
    floats m = at_most((floats) ((ints) x & all_ints(INT32_MAX)), all_floats(15));
    floats sum = m + 3.5f;
    floats inverse = 1 / sum;
    /* What the inverse lacks, relative to itself, by its rounding and the sum's. */
    floats lack = close_difference(-inverse, sum, all_floats(1)) - inverse * (m - (sum - 3.5f));
    floats u = multiply_add(inverse * -7, lack, multiply_add(inverse, all_floats(-7), all_floats(1)));
    floats q = multiply_add(u, all_floats(0.00010869304242078215f), all_floats(0.0004183225391898304f));
    q = multiply_add(q, u, all_floats(-0.0004950392758473754f));
    q = multiply_add(q, u, all_floats(-0.003172827884554863f));
    q = multiply_add(q, u, all_floats(0.006493726745247841f));
    q = multiply_add(q, u, all_floats(0.01740582101047039f));
    q = multiply_add(q, u, all_floats(-0.11605317145586014f));
    q = multiply_add(q, u, all_floats(0.3154250979423523f));
    q = multiply_add(q, u, all_floats(-0.5655617117881775f));
    q = multiply_add(q, u, all_floats(0.7444160580635071f));
    /* What rounding the square takes away counts in its exponential. */
    floats square = m * m;
    floats rest = close_difference(m, m, -square);
    floats correction = 1 + multiply_add(rest, all_floats(-0.5f), lack);
    floats above = scaled_exponential(square * -0.5f, correction * (m * (q * inverse)));
    floats result = choose(x < 0, -above, x - above);
    return choose(x == -__builtin_inff(), all_floats(__builtin_nanf("")), result);
}

#endif
