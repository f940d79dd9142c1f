"""The catalogue: every hostile input, those that the job stands and those that it does not yet."""

from tests.adversaries.bombs import BOMBS, UNBOUNDED
from tests.adversaries.names import NAMES
from tests.adversaries.nesting import DIGGING, NESTING
from tests.adversaries.patches import GROWING, PATCHES
from tests.adversaries.products import PRODUCTS
from tests.adversaries.sizes import SIZES
from tests.adversaries.texts import TEXTS

STANDING = [*NESTING, *SIZES, *TEXTS, *BOMBS, *NAMES, *PATCHES]
FELLING = [*DIGGING, *GROWING]
"""Each of these fails a job, and with it what it was to compact besides."""

HEAVY = [*PRODUCTS, *UNBOUNDED]
"""Harmless when small; at full size nothing bounds time or memory."""
