"""Intervals of Student's t, for the tables of this folder."""

import functools
import math
import statistics


@functools.cache
def student(degrees, tail):
    """Student's t that is exceeded with probability `tail`."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def beyond(t):
        # Simpson's rule from 0 to t.
        steps = 2000
        width = t / steps
        total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (i * width) ** 2 / degrees) ** (-(degrees + 1) / 2) for i in range(steps + 1))
        return 0.5 - scale * total * width / 3

    low, high = 0.0, 1000.0 if degrees < 4 else 60.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > tail else (low, middle)
    return (low + high) / 2


def half(values, tail=0.025):
    """Half the width of the interval that leaves out `tail` at each end; none of a single value."""
    if len(values) < 2:
        return 0.0
    return student(len(values) - 1, tail) * statistics.stdev(values) / math.sqrt(len(values))


def interval(values, digits):
    """The mean with its interval of 95 %, of those values that there are."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    mean = statistics.fmean(values)
    return f"{mean:.{digits}f} ± {half(values):.{digits}f}" if len(values) > 1 else f"{mean:.{digits}f}"
