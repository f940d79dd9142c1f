"""``python -m pipelines`` is ``threadlake``."""

import sys

from pipelines.cli import main

sys.exit(main())
