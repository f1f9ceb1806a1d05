"""Which pages tell most of the noise that they have: not those that show next to nothing."""

from typing import Any, Callable, List, Sequence

import numpy as np

LOOKED_AT = 5  # pages of a stack
DARK = 0.25  # of the range of another page


def some(count: int) -> List[int]:
    """Returns the numbers of a few pages, none of them at the ends, where stacks are often empty."""
    return sorted({int((i + 0.5) * count / LOOKED_AT) for i in range(LOOKED_AT)})


def spread(page: Any) -> float:
    """Returns the range of brightness of a page, without the outermost samples."""
    samples = np.asarray(page, float)
    good = samples[np.isfinite(samples)]
    return float(np.subtract(*np.percentile(good, [99, 1]))) if good.size else 0.0


def most_telling(places: Sequence[Any], page: Callable[[Any], Any]) -> Any:
    """Returns the place whose page shows most: the brighter the samples of a page, the more of its noise they tell."""
    return max(places, key=lambda place: spread(page(place)))
