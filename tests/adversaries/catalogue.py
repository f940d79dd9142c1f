"""The catalogue: every hostile input."""

from tests.adversaries.bombs import BOMBS
from tests.adversaries.names import NAMES
from tests.adversaries.nesting import DIGGING, NESTING
from tests.adversaries.patches import GROWING, PATCHES
from tests.adversaries.products import PRODUCTS
from tests.adversaries.sizes import SIZES
from tests.adversaries.texts import TEXTS

GROWTH = [*DIGGING, *GROWING]
"""States that would grow without an end."""

ADVERSARIES = [*NESTING, *SIZES, *TEXTS, *BOMBS, *NAMES, *PATCHES, *GROWTH, *PRODUCTS]
